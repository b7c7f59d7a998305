import type { Clock } from "../clock.js";
import { CallboardError } from "../errors.js";
import type { Log } from "../observe/log.js";
import { isRecord } from "./author.js";
import type { CallFrame } from "./call.js";
import type { Act, PreparedCall, ToolDeclaration, ToolOutcome } from "./declaration.js";
import type { ToolCallEvent, ToolResult } from "./function-agent-events.js";
import { answerOf, refusalText } from "./tool-answer.js";
import { type Unfinished, unfinished } from "./tool-run.js";

export interface BatchParts {
	calls: readonly PreparedCall[];
	tool(name: string): ToolDeclaration;
	msgId: string;
	/** The turn's. */
	signal: AbortSignal;
	clock: Clock;
	log: Log;
}

/**
 * The tool calls of one response while handlers answer them. It is over when every call has an outcome: a result, an
 * error because its handlers threw or returned without it, or one because its time was up.
 *
 * What handlers ask of the call goes with the results that follow it, so that a handler which throws before it answers
 * has said and done nothing. What it asks for right behind its last results still counts.
 */
export class ToolBatch {
	readonly frame: CallFrame;
	readonly #controller = new AbortController();
	readonly #outcomes = new Map<string, ToolOutcome>();
	/** Calls that were given a result which cannot be told, with the reason. */
	readonly #untold = new Map<string, unknown>();
	readonly #stops: (() => void)[] = [];
	#answered: ToolOutcome | undefined;
	#threw = false;
	#finish: () => void = () => {};

	constructor(private readonly parts: BatchParts) {
		this.frame = { acts: [], signal: this.#controller.signal, open: true };
	}

	/** What the handlers get. */
	get event(): ToolCallEvent {
		return {
			msgId: this.parts.msgId,
			toolCalls: this.parts.calls.map(({ id, tool, args, key }) => ({
				id,
				name: tool,
				arguments: JSON.stringify(args),
				key,
			})),
		};
	}

	/** Runs the handlers beside each other and gives one outcome a call, in the order of the calls. */
	async run(handlers: readonly (() => unknown)[]): Promise<readonly ToolOutcome[]> {
		const { calls, clock, tool, signal } = this.parts;
		const finished = new Promise<void>((resolve) => {
			this.#finish = resolve;
		});
		const stop = () => this.#stop(signal.reason);
		signal.addEventListener("abort", stop, { once: true });
		this.#stops.push(() => signal.removeEventListener("abort", stop));
		for (const call of calls) {
			this.#stops.push(clock.after(tool(call.tool).timeoutMs, () => this.#fail(call, { how: "timeout" })));
		}
		if (signal.aborted) stop();
		else void Promise.allSettled(handlers.map((handler) => this.#handle(handler))).then(() => this.#returned());
		await finished;
		this.#close();
		return calls.map(({ id }) => this.#outcomes.get(id) as ToolOutcome);
	}

	/** Takes results; see `FunctionCall.toolResult`. */
	answer(results: readonly ToolResult[]): void {
		const { log, msgId, calls } = this.parts;
		if (
			!Array.isArray(results) ||
			!results.every((result) => isRecord(result) && typeof result.toolCallId === "string")
		) {
			throw new CallboardError("BAD_TOOL_RESULT", "author", "call.toolResult was given no list of results", {
				next: "write call.toolResult(data.msgId, [{ toolCallId, result }])",
			});
		}
		let first: ToolOutcome | undefined;
		let refused: { error: unknown } | undefined;
		const unknown: string[] = [];
		for (const { toolCallId, result } of results as readonly ToolResult[]) {
			const call = calls.find(({ id }) => id === toolCallId);
			if (call === undefined) {
				unknown.push(toolCallId);
				log.warn("tool.unknown_call", { msgId });
				continue;
			}
			const known = this.#outcomes.get(call.id);
			if (known !== undefined || !this.frame.open) {
				log.warn(known?.status === "ok" ? "tool.answered_twice" : "tool.late", { msgId, tool: call.tool });
				continue;
			}
			try {
				const outcome = this.#succeed(call, result);
				first ??= outcome;
			} catch (error) {
				this.#untold.set(call.id, error);
				refused ??= { error };
			}
		}
		if (first !== undefined) {
			(first.acts as Act[]).push(...this.frame.acts.splice(0));
			this.#answered = first;
			this.#finishIfDone();
		}
		if (refused !== undefined) throw refused.error;
		if (unknown.length > 0) {
			throw new CallboardError(
				"UNKNOWN_TOOL_CALLS",
				"author",
				`message ${msgId} holds no tool call ${unknown.join(", ")}`,
				{
					next: "give the id of each of data.toolCalls as its toolCallId",
				},
			);
		}
	}

	async #handle(handler: () => unknown): Promise<void> {
		try {
			await handler();
		} catch (error) {
			this.#threw = true;
			if (this.#open().length === 0) return this.parts.log.error("handler.failed", { event: "llm.tool_call", error });
			this.#error ??= { error };
		}
	}
	#error: { error: unknown } | undefined;

	/** All handlers have returned or thrown. One that gave no result at all may still answer from a callback. */
	#returned(): void {
		if (this.#error === undefined && this.#answered === undefined) return;
		for (const call of this.#open()) {
			if (this.#untold.has(call.id)) this.#fail(call, { how: "untold", error: this.#untold.get(call.id) });
			else if (this.#error !== undefined) this.#fail(call, { how: "threw", error: this.#error.error });
			else this.#forgotten(call);
		}
	}

	#succeed(call: PreparedCall, result: unknown): ToolOutcome {
		const tool = this.parts.tool(call.tool);
		const answer = answerOf(tool, result);
		if (answer.total !== undefined) {
			this.parts.log.info("tool.preview", {
				tool: tool.name,
				total: answer.total,
				cut: answer.total - (tool.preview ?? 0),
			});
		}
		const outcome: ToolOutcome = { id: call.id, tool: tool.name, status: "ok", ...answer, changes: [], acts: [] };
		this.#outcomes.set(call.id, outcome);
		return outcome;
	}

	#forgotten({ id, tool }: PreparedCall): void {
		this.parts.log.error("tool.unanswered", { tool, msgId: this.parts.msgId });
		const content = refusalText(`${tool} was given no result; say that it could not be done, or try another way`);
		this.#outcomes.set(id, { id, tool, status: "failed", result: null, content, changes: [], acts: [] });
		this.#finishIfDone();
	}

	#fail(call: PreparedCall, ending: Unfinished): void {
		if (this.#outcomes.has(call.id)) return;
		this.#outcomes.set(call.id, unfinished(this.parts.tool(call.tool), call, ending, this.parts.log));
		this.#finishIfDone();
	}

	#stop(reason: unknown): void {
		for (const call of this.#open()) this.#fail(call, { how: "stopped", reason });
		this.#controller.abort(reason);
	}

	#open(): PreparedCall[] {
		return this.parts.calls.filter(({ id }) => !this.#outcomes.has(id));
	}

	#finishIfDone(): void {
		if (this.#open().length === 0) this.#finish();
	}

	#close(): void {
		this.frame.open = false;
		for (const stop of this.#stops) stop();
		const rest = this.frame.acts.splice(0);
		if (this.#answered !== undefined && !this.#threw) (this.#answered.acts as Act[]).push(...rest);
		else if (rest.length > 0)
			this.parts.log.warn("call.ignored", { acts: rest.map((act) => act.act), why: "no result followed" });
		this.#controller.abort(new Error("every tool call has its outcome"));
	}
}
