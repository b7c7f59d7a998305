import { address } from "./address.js";
import { lease } from "./lease.js";
import { lua, script } from "./script.js";

/** ARGV: time, address, owner, fence, lease. */
export const extend = script(
	"extend",
	address,
	lease,
	lua`
if not held(ARGV[3], ARGV[4]) then
  return {'lost'}
end
local till = NOW + tonumber(ARGV[5])
redis.call('HSET', M, 'lu', whole(till))
redis.call('ZADD', P .. 't', till, A)
return {'ok'}
`,
);
