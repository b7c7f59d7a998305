import { address } from "./address.js";
import { lease } from "./lease.js";
import { lua, script } from "./script.js";

/**
 * ARGV: time, address, owner, lease, window, items, what the caller remembers or empty, operation.
 * @returns outcome, what was claimed or the end of the wait or the reason of the parking
 */
export const claim = script(
	"claim",
	address,
	lease,
	lua`
local window, known, operation = tonumber(ARGV[5]), ARGV[7], ARGV[8]
local v = head('pk', 'lu', 'ra', 'gu', 'ic')
if v[14] then
  return {'parked', v[14]}
end
if v[15] and tonumber(v[15]) > NOW then
  if v[7] == operation then
    return {'claimed', handedOutAgain(v, window, v[18], known)}
  end
  return {'busy', v[15]}
end
local items = redis.call('LRANGE', key('i'), 0, tonumber(ARGV[6]) - 1)
if #items == 0 then
  return {'idle'}
end
local till = putOffUntil(v[16], v[17])
if till > NOW then
  return {'busy', whole(till)}
end
grant(v, ARGV[3], tonumber(ARGV[4]), #items, operation)
return {'claimed', handedOut(v, window, items, known)}
`,
);
