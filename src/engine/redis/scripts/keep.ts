import { address } from "./address.js";
import { lua, script } from "./script.js";

/** ARGV: time, address, owner, lease. @returns whether the owner has the row now */
export const keep = script(
	"keep",
	address,
	lua`
local v = redis.call('HMGET', M, 'so', 'ob')
if v[1] ~= ARGV[3] or not v[2] then
  return 0
end
evenWithoutMemory()
local till = whole(NOW + tonumber(ARGV[4]))
redis.call('HSET', M, 'su', till)
redis.call('ZADD', P .. 's', till, A)
return 1
`,
);
