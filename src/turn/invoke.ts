import type { ToolOutcome } from "../agent/declaration.js";
import type { HistoryEntry, ToolCall } from "../call/history.js";
import type { JsonObject } from "../call/json.js";
import type { ModelResponse } from "../model/model.js";
import { jsonBreak } from "./json-break.js";
import { perform } from "./perform.js";
import { hiddenNow, type Prepared, prepareCall, type Refusal, type Runnable } from "./prepare-call.js";
import { messageId, runCalls } from "./run-calls.js";
import type { Decision, TurnDraft } from "./turn-draft.js";

export interface Invoked {
	decision: Decision;
	/** Whether the model sent a call that was refused before, unchanged: it gets no tools any more. */
	stuck: boolean;
}

/**
 * Handles every call of one response, in request order, each seeing the writes before it, so that each gets exactly one
 * result. Neighbours that only read run beside each other. Once the call was handed over or is ending, the rest are
 * skipped.
 *
 * Words beside the calls are held until these have run. They are dropped where the agent's code said something or a call
 * was refused, since they were written before that was known ("I have booked it"), and said in front of the results
 * otherwise. The history then holds what the person saw, no more and no less.
 */
export async function invoke(draft: TurnDraft, step: number, response: ModelResponse): Promise<Invoked> {
	const run = new Invocation(draft, step, response);
	const place = draft.rows.length;
	const spoken = draft.spoken;
	if (draft.agent.invocation === "batch") await run.batch();
	else await run.each();
	const asked: HistoryEntry[] = [{ role: "asked", calls: run.calls, at: run.at }, ...run.results()];
	if (response.text.trim() !== "") {
		if (run.refused || draft.spoken > spoken) {
			draft.live.withdraw();
			draft.event("model.text_dropped", { step, because: run.refused ? "refused" : "said by code" });
		} else {
			draft.live.keep(response.text);
			draft.say({ kind: "text", text: response.text }, "model");
			asked.unshift(...draft.rows.splice(-1));
		}
	}
	draft.rows.splice(place, 0, ...asked);
	return { decision: draft.over ? "rest" : "ask", stuck: run.stuck };
}

/** The calls of one response and what became of each. */
class Invocation {
	readonly calls: readonly ToolCall[];
	readonly at: number;
	refused = false;
	stuck = false;
	readonly #results = new Map<string, HistoryEntry>();
	readonly #cut: boolean;

	constructor(
		private readonly draft: TurnDraft,
		private readonly step: number,
		response: ModelResponse,
	) {
		this.calls = withOwnIds(response.calls, step);
		this.at = draft.at;
		this.#cut = response.finish === "length";
	}

	results(): HistoryEntry[] {
		return this.calls.flatMap((call) => this.#results.get(call.id) ?? []);
	}

	async each(): Promise<void> {
		for (let next = 0; next < this.calls.length; ) {
			const group = this.#group(next);
			next += Math.max(1, group.length);
			if (group.length === 0) continue;
			const outcomes = await runCalls(this.draft, this.step, group);
			outcomes.forEach((outcome, index) => {
				this.#takeInTurn(group[index] as Runnable, outcome, index > 0);
			});
		}
	}

	async batch(): Promise<void> {
		const runnable = this.calls.flatMap((call, index) => this.#prepare(call, index) ?? []);
		if (runnable.length === 0) return;
		const outcomes = await runCalls(this.draft, this.step, runnable);
		perform(this.draft, ...outcomes);
		for (const [index, outcome] of outcomes.entries()) this.#record(runnable[index] as Runnable, outcome);
	}

	/** The call at `start` and the readers right behind it, if it is one; empty when it is not run at all. */
	#group(start: number): Runnable[] {
		const first = this.calls[start] as ToolCall;
		if (this.draft.over) {
			this.#skip(first);
			return [];
		}
		const runnable = this.#prepare(first, start);
		if (runnable === undefined) return [];
		const group = [runnable];
		for (let index = start + 1; runnable.tool.effect === "read" && index < this.calls.length; index += 1) {
			const prepared = prepareCall(this.draft, this.calls[index] as ToolCall, this.#options(index));
			if (!prepared.ok || prepared.tool.effect !== "read") break;
			group.push(prepared);
		}
		return group;
	}

	/** Applies an outcome, unless one that ran beside it has since ended the call's tools or hidden this one. */
	#takeInTurn(call: Runnable, outcome: ToolOutcome, beside: boolean): void {
		const original = this.calls.find((each) => each.id === call.prepared.id) as ToolCall;
		const hidden = beside && !this.draft.over ? hiddenNow(this.draft, call.tool.name) : undefined;
		if (beside && this.draft.over) {
			this.#skip(original);
		} else if (hidden !== undefined) {
			this.#refuse(original, hidden);
		} else {
			perform(this.draft, outcome);
			this.#record(call, outcome);
		}
	}

	#prepare(call: ToolCall, index: number): Runnable | undefined {
		const prepared: Prepared = prepareCall(this.draft, call, this.#options(index));
		if (prepared.ok) return prepared;
		this.#refuse(call, prepared);
		return undefined;
	}

	#options(index: number) {
		return { key: `${this.draft.id}.${this.step}.${index + 1}`, cut: this.#cut };
	}

	#record({ tool }: Runnable, outcome: ToolOutcome): void {
		const { draft } = this;
		draft.tools += 1;
		const failed = outcome.status !== "ok";
		const error = failed ? ({ error: true } as const) : {};
		this.#result(outcome.id, outcome.tool, outcome.content, error);
		const facts = { tool: tool.name, status: outcome.status, message: messageId(draft, this.step) };
		const cut = outcome.total === undefined ? {} : { rows: outcome.total, shown: tool.preview ?? outcome.total };
		const level = outcome.status === "ok" ? "info" : outcome.status === "unknown" ? "error" : "warn";
		draft.event("tool.ran", { ...facts, ...cut }, level);
		if (!failed && tool.end) draft.end({ reason: tool.name, after: "delivered" });
	}

	#refuse(call: ToolCall, refusal: Refusal): void {
		const { draft } = this;
		this.refused = true;
		this.#result(call.id, call.name, refusal.content, { error: true });
		const known = draft.agent.tools.some((tool) => tool.name === call.name);
		const facts = { tool: known ? call.name : "unknown", reason: refusal.reason };
		draft.event("tool.refused", refusal.why === undefined ? facts : { ...facts, why: refusal.why }, "warn");
		const same = JSON.stringify([call.name, canonical(call.arguments)]);
		if (draft.refusals.has(same)) this.stuck = true;
		draft.refusals.add(same);
	}

	#skip(call: ToolCall): void {
		const why = this.draft.record.owner === "human" ? "the call was handed to people" : "the call is ending";
		this.#result(call.id, call.name, JSON.stringify({ skipped: `${why}, so this did not run` }));
	}

	#result(call: string, name: string, content: string, error: { error?: true } = {}): void {
		this.#results.set(call, { role: "result", call, name, content, ...error, at: this.draft.at });
	}
}

/** Results are found by the call's id, and some models repeat or leave out ids. */
function withOwnIds(calls: readonly ToolCall[], step: number): ToolCall[] {
	const seen = new Set<string>();
	return calls.map((call, index) => {
		const id = call.id.trim() === "" || seen.has(call.id) ? `call_${step}_${index + 1}` : call.id;
		seen.add(id);
		return id === call.id ? call : { ...call, id };
	});
}

/** Arguments with their members in one order, so that the same call written otherwise is the same. */
function canonical(text: string): string {
	if (jsonBreak(text) !== undefined) return text;
	return JSON.stringify(JSON.parse(text), (_key, value: unknown) => {
		if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
		return Object.fromEntries(Object.entries(value as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1)));
	});
}
