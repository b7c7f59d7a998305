import { ask } from "./ask.js";
import { invoke } from "./invoke.js";
import { declined, reply } from "./reply.js";
import type { TurnDraft } from "./turn-draft.js";

/**
 * Asks the model, does what it asks for and asks again, until it has spoken or may not any more. At most `maxSteps`
 * requests; in the last one tools are off, as they are once the model repeats a refused call.
 *
 * When the call was given an ending and the agent's code wanted the model to speak first, it has one more request, for
 * words only; after a hand-over it has none.
 */
export async function converse(draft: TurnDraft): Promise<void> {
	const { maxSteps, apology } = draft.agent.settings;
	const spoken = draft.spoken;
	const byCode = draft.spokenByCode;
	const waiting = draft.items.some((item) => item.type === "message");
	let again = false;
	let askedAgain = false;
	let stuck = false;
	for (let step = 1; ; step += 1) {
		const last = step >= maxSteps;
		const wordsOnly = last || stuck || draft.ending !== undefined;
		const asked = await ask(draft, { step, wordsOnly, again });
		const owed = waiting && draft.spoken === spoken && draft.ending === undefined;
		if (!asked.answered) {
			if (owed) draft.say({ kind: "text", text: apology }, "code");
			return;
		}
		const { response } = asked;
		if (response.calls.length > 0 && !wordsOnly && !declined(response)) {
			const invoked = await invoke(draft, step, response);
			stuck ||= invoked.stuck;
			again = false;
			if (invoked.decision === "ask" || draft.guided) continue;
			return;
		}
		const mayAskAgain = !askedAgain && !last && draft.ending === undefined && draft.spokenByCode === byCode;
		const decision = reply(draft, response, { mayAskAgain, owed });
		if (last && step > 1) draft.event("turn.capped", { steps: step, answered: response.text.trim() !== "" }, "warn");
		if (decision === "rest") return;
		again = true;
		askedAgain = true;
	}
}
