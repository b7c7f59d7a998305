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
local v = redis.call('HMGET', M, 'f', 'lo', 'z', 'ra', 'gu')
if v[3] == operation then
  return {'ok', putOffUntil(v[4], v[5]) > NOW and 0 or 1}
end
if v[1] ~= ARGV[4] or v[2] ~= ARGV[3] then
  return {'lost'}
end
redis.call('HDEL', M, 'lo', 'lu', 'ic')
redis.call('HSET', M, 'z', operation)
if ARGV[7] == '1' then
  redis.call('HINCRBY', M, 'fl', 1)
end
if waits then
  redis.call('HSET', M, 'ra', whole(retryAt))
else
  redis.call('HDEL', M, 'ra')
end
local till = putOffUntil(waits and retryAt, v[5])
if till > NOW then
  redis.call('ZADD', P .. 't', till, A)
  return {'ok', 0}
end
redis.call('ZADD', P .. 't', NOW + GRACE, A)
return {'ok', 1}
`,
);
