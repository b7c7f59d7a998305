import { address } from "./address.js";
import { lease } from "./lease.js";
import { lua, script } from "./script.js";

/** ARGV: time, address, owner, fence, position of the first row, rows. What stands at a position stays. */
export const journal = script(
	"journal",
	address,
	lease,
	lua`
if not held(ARGV[3], ARGV[4]) then
  return {'lost'}
end
local written = redis.call('LLEN', key('j')) - tonumber(ARGV[5])
spread('RPUSH', key('j'), 6 + math.max(written, 0), #ARGV - 5 - math.max(written, 0))
return {'ok'}
`,
);
