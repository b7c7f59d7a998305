import { address } from "./address.js";
import { lua, script } from "./script.js";

/** ARGV: time, address, until. A row that is being sent is left to be taken over in its time. */
export const postpone = script(
	"postpone",
	address,
	lua`
local till = redis.call('ZSCORE', P .. 's', A)
if till and tonumber(till) < tonumber(ARGV[3]) and redis.call('HEXISTS', M, 'ob') == 0 then
  redis.call('ZADD', P .. 's', 'XX', ARGV[3], A)
end
return 0
`,
);
