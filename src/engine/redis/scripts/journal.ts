import { address } from "./address.js";
import { lease } from "./lease.js";
import { lua, script } from "./script.js";

/** ARGV: time, address, owner, fence, position of the first row, rows. What stands at a position stays. @returns outcome */
export const journal = script(
	"journal",
	address,
	lease,
	lua`
if not held(ARGV[3], ARGV[4]) then
  return {'lost'}
end
local written = redis.call('LLEN', key('j')) - tonumber(ARGV[5])
if written < 0 then
  return {'gap'}
end
spread('RPUSH', key('j'), 6 + written, #ARGV - 5 - written)
return {'ok'}
`,
);
