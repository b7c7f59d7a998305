import { address } from "./address.js";
import { lua, script } from "./script.js";
import { timers } from "./timers.js";

/** ARGV: time, address, why the person cannot be reached, or empty when they can be. Of an unknown address nothing is kept. */
export const reach = script(
	"reach",
	address,
	timers,
	lua`
local v = redis.call('HMGET', M, 'ih', 'un')
if v[2] and ARGV[3] == '' then
  reached()
elseif v[1] and not v[2] and ARGV[3] ~= '' then
  redis.call('HSET', M, 'un', whole(NOW) .. '\n' .. ARGV[3])
end
`,
);
