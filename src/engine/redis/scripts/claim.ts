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
local v = redis.call('HMGET', M, 'pk', 'lu', 'z')
if v[1] then
  return {'parked', v[1]}
end
if v[2] and tonumber(v[2]) > NOW then
  if v[3] == operation then
    return {'claimed', handedOut(window)}
  end
  return {'busy', v[2]}
end
if redis.call('EXISTS', key('i')) == 0 then
  return {'idle'}
end
local till = putOffUntil()
if till > NOW then
  return {'busy', whole(till)}
end
grant(ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[6]), operation)
return {'claimed', handedOut(window)}
`,
);
