import { CallboardError } from "../errors.js";
import { Call, type CallSupport } from "./call.js";
import type { CallFacts } from "./declaration.js";
import type { ToolResult } from "./function-agent-events.js";

/** Takes the results that a handler gives. */
export type TakeResults = (msgId: string, results: readonly ToolResult[]) => void;

/** The conversation, as handlers of a function-calling agent get it: a `Call` that also takes tool results. */
export class FunctionCall extends Call {
	readonly #take: TakeResults;

	constructor(facts: CallFacts, support: CallSupport, take: TakeResults) {
		super(facts, support);
		this.#take = take;
	}

	/**
	 * Gives results of the tool calls that came under `msgId`: all at once, or some now and others later, until each
	 * call's time is up. The first result of a call counts; later ones are logged and ignored.
	 *
	 * @throws CallboardError `UNKNOWN_TOOL_CALLS` when no calls came under `msgId`, or an id was none of them; what else
	 * was given with it is taken. `BAD_TOOL_RESULT` for what is no list of `{ toolCallId, result }`; `NOT_SERIALISABLE`
	 * for a result that JSON cannot hold.
	 */
	toolResult(msgId: string, results: readonly ToolResult[]): void {
		this.#take(msgId, results);
	}

	/** One handler may get several calls at once, each with a key of its own: `toolCalls[i].key`. */
	override get key(): string {
		throw new CallboardError(
			"CALL_OUTSIDE_TURN",
			"author",
			"call.key was read in a handler, which may hold several tool calls",
			{
				next: "read toolCalls[i].key of the event, one for each call",
			},
		);
	}
}
