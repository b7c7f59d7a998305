import { address } from "./address.js";
import { lease } from "./lease.js";
import { lua, script } from "./script.js";

/**
 * ARGV: time, address, owner, lease, window, items, operation.
 * @returns outcome, what was claimed or the end of the wait or the reason of the parking
 */
export const claim = script(
	"claim",
	address,
	lease,
	lua`
local window, operation = tonumber(ARGV[5]), ARGV[7]
local v = head('pk', 'lu', 'ra', 'gu', 'ic')
if v[11] then
  return {'parked', v[11]}
end
if v[12] and tonumber(v[12]) > NOW then
  if v[7] == operation then
    return {'claimed', handedOutAgain(v, window, v[15])}
  end
  return {'busy', v[12]}
end
local items = redis.call('LRANGE', key('i'), 0, tonumber(ARGV[6]) - 1)
if #items == 0 then
  return {'idle'}
end
local till = putOffUntil(v[13], v[14])
if till > NOW then
  return {'busy', whole(till)}
end
grant(v, ARGV[3], tonumber(ARGV[4]), #items, operation)
return {'claimed', handedOut(v, window, items)}
`,
);
