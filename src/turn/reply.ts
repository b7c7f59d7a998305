import type { ModelResponse } from "../model/model.js";
import type { Decision, TurnDraft } from "./turn-draft.js";

export interface Replying {
	/** Whether the model is asked once more when it gave no words. */
	mayAskAgain: boolean;
	/** Whether the person waits for an answer and has heard nothing in this turn. */
	owed: boolean;
}

/**
 * Takes the model's words as its answer. Where there are none it is asked once more; then the agent's safe line is said,
 * so that nobody who waits is met with silence. Once the agent's code has spoken, silence of the model is an answer.
 */
export function reply(draft: TurnDraft, response: ModelResponse, { mayAskAgain, owed }: Replying): Decision {
	if (response.calls.length > 0) draft.event("model.calls_ignored", { calls: response.calls.length }, "warn");
	if (response.finish !== "stop" && response.finish !== "tools") {
		draft.event("model.cut", { finish: response.finish }, "warn");
	}
	if (response.text.trim() !== "") {
		draft.live.keep(response.text);
		draft.say({ kind: "text", text: response.text }, "model");
		return "rest";
	}
	draft.live.withdraw();
	if (mayAskAgain && !declined(response)) return "ask";
	if (!owed) return "rest";
	draft.event("model.empty", { finish: response.finish }, "warn");
	draft.say({ kind: "text", text: draft.agent.settings.safeLine }, "code");
	return "rest";
}

/** Whether the provider or the model would not answer; what came with that is not acted on. */
export function declined({ finish }: ModelResponse): boolean {
	return finish === "filtered" || finish === "refused";
}
