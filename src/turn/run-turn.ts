import { begin } from "./begin.js";
import { converse } from "./converse.js";
import { leftover } from "./leftover.js";
import { read } from "./read.js";
import { settle } from "./settle.js";
import type { TurnInput, TurnResult } from "./turn.js";

/**
 * Advances one call by one turn: what waited goes in, all that the turn decided comes out. Nothing is stored or sent
 * here. A turn that is run again with the journal of a cut one asks and runs nothing that is recorded there, and comes to
 * the same result.
 *
 * @throws What `note` rejected with, the reason of `stop`, or an error of the agent's author; then nothing of this turn
 * may be written.
 */
export async function runTurn(input: TurnInput): Promise<TurnResult> {
	const stale = leftover(input);
	if (stale !== undefined) return stale;
	input.stop.throwIfAborted();
	const draft = await begin(input);
	try {
		if ((await read(draft)) === "ask") await converse(draft);
		return await settle(draft);
	} catch (error) {
		draft.live.discard();
		throw error;
	} finally {
		draft.live.end();
	}
}
