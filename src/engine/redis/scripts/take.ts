import { address } from "./address.js";
import { inbox } from "./inbox.js";
import { outbox } from "./outbox.js";
import { lua, script } from "./script.js";

/** ARGV: time, address, owner, lease, pace or empty, operation. @returns what was taken, whether to wake a worker */
export const take = script(
	"take",
	address,
	inbox,
	outbox,
	lua`
return {take(ARGV[3], tonumber(ARGV[4]), ARGV[5], ARGV[6]), wakeTurn}
`,
);
