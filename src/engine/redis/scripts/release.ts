import { address } from "./address.js";
import { lease } from "./lease.js";
import { lua, script } from "./script.js";

/** ARGV: time, address, owner, fence, operation, time to try again or empty, `1` for a failure. */
export const release = script(
	"release",
	address,
	lease,
	lua`
local operation, retryAt = ARGV[5], tonumber(ARGV[6])
local waits = retryAt and retryAt > NOW
if redis.call('HGET', M, 'z') == operation then
  return {'ok', putOffUntil() > NOW and 0 or 1}
end
if not held(ARGV[3], ARGV[4]) then
  return {'lost'}
end
giveBack()
redis.call('HSET', M, 'z', operation)
if ARGV[7] == '1' then
  redis.call('HINCRBY', M, 'fl', 1)
end
if waits then
  redis.call('HSET', M, 'ra', whole(retryAt))
else
  redis.call('HDEL', M, 'ra')
end
local till = putOffUntil()
if till > NOW then
  redis.call('ZADD', P .. 't', till, A)
  return {'ok', 0}
end
redis.call('ZADD', P .. 't', NOW + GRACE, A)
return {'ok', 1}
`,
);
