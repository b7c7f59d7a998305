import { address } from "./address.js";
import { lease } from "./lease.js";
import { lua, script } from "./script.js";

/** ARGV: time, address, owner, fence, operation, reason. */
export const park = script(
	"park",
	address,
	lease,
	lua`
if redis.call('HGET', M, 'z') == ARGV[5] then
  return {'ok'}
end
if not held(ARGV[3], ARGV[4]) then
  return {'lost'}
end
redis.call('HDEL', M, 'lo', 'lu', 'ic')
redis.call('HSET', M, 'z', ARGV[5], 'pk', ARGV[6])
redis.call('ZREM', P .. 't', A)
redis.call('ZADD', P .. 'q', NOW, A)
return {'ok'}
`,
);
