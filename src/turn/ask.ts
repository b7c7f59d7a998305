import { CallboardError } from "../errors.js";
import type { ModelRequest, ModelResponse } from "../model/model.js";
import { traced } from "../observe/trace.js";
import { offer } from "./offer.js";
import type { TurnDraft } from "./turn-draft.js";

export interface Asking {
	/** Which request of the turn, from 1. */
	step: number;
	wordsOnly: boolean;
	again: boolean;
}

/** What the model answered, or the stable code of why it could not. */
export type Asked = { answered: true; response: ModelResponse } | { answered: false; code: string };

/**
 * Asks the model once, showing its words as they come. An answer is in the journal before anything is done with it. A
 * history too long for the model is shown by ever shorter windows, down to the newest message. Errors of the platform
 * are an answer too; all others reject.
 */
export async function ask(draft: TurnDraft, asking: Asking): Promise<Asked> {
	let failed: CallboardError | undefined;
	try {
		const response = await draft.recorder.answered(asking.step, async () => {
			draft.live.typing();
			try {
				return await shrinking(draft, asking);
			} catch (error) {
				if (error instanceof CallboardError && error.fault === "platform") failed = error;
				throw error;
			}
		});
		draft.count(response);
		return { answered: true, response };
	} catch (error) {
		if (failed === undefined || error !== failed || draft.input.stop.aborted) throw error;
		draft.live.withdraw();
		draft.event("model.failed", { code: failed.code, model: draft.input.model.name }, "error");
		return { answered: false, code: failed.code };
	}
}

async function shrinking(draft: TurnDraft, { wordsOnly, again }: Asking): Promise<ModelResponse> {
	const { stop } = draft.input;
	for (;;) {
		try {
			return await stop.race(() => request(draft, offer(draft, { wordsOnly, again, window: draft.window })));
		} catch (error) {
			const tooLong = error instanceof CallboardError && error.code === "MODEL_CONTEXT_OVERFLOW";
			if (!tooLong || draft.window <= 1) throw error;
			draft.live.withdraw();
			draft.window = Math.max(1, Math.floor(Math.min(draft.window, draft.history.length) / 2));
			draft.log.warn("history.shrunk", { window: draft.window });
		}
	}
}

function request(draft: TurnDraft, asked: ModelRequest): Promise<ModelResponse> {
	const { model, stop } = draft.input;
	return traced("model request", { kind: "client", facts: { model: model.name } }, async (span) => {
		const response = await model.ask(asked, {
			get signal() {
				return stop.signal;
			},
			onText: (piece) => draft.live.grow(piece),
			onRestart: () => draft.live.withdraw(),
		});
		const { usage, attempts, finish } = response;
		const { input, output, cached } = usage;
		span.tell({ answered: response.model, attempts, finish, input, output, cached, calls: response.calls.length });
		return response;
	});
}
