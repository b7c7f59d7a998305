import { address } from "./address.js";
import { lua, script } from "./script.js";

/** ARGV: time, address. @returns whether to wake a worker */
export const unpark = script(
	"unpark",
	address,
	lua`
if redis.call('HDEL', M, 'pk') == 1 then
  redis.call('HDEL', M, 'fl', 'td', 'ra')
  redis.call('ZREM', P .. 'q', A)
  if redis.call('EXISTS', key('i')) == 1 then
    redis.call('ZADD', P .. 't', NOW + GRACE, A)
  end
end
return redis.call('EXISTS', key('i'))
`,
);
