import { address } from "./address.js";
import { lua, script } from "./script.js";

/** ARGV: time, address, owner, fence, position of the first row, rows. What stands at a position stays. @returns outcome */
export const journal = script(
	"journal",
	address,
	lua`
local v = redis.call('HMGET', M, 'f', 'lo', 'jn')
if v[1] ~= ARGV[4] or v[2] ~= ARGV[3] then
  return {'lost'}
end
local written = redis.call('LLEN', key('j')) - tonumber(ARGV[5])
if written < 0 then
  return {'gap'}
end
if not v[3] then
  redis.call('HSET', M, 'jn', 1)
end
spread('RPUSH', key('j'), 6 + written, #ARGV - 5 - written)
return {'ok'}
`,
);
