import type {
	Act,
	AgentDeclaration,
	AgentSession,
	Change,
	Effect,
	Outcome,
	PreparedCall,
	SessionOpening,
	ToolDeclaration,
	ToolOutcome,
} from "../../src/agent/declaration.js";
import type { Json, JsonObject } from "../../src/call/json.js";
import type { Checked, Issue } from "../../src/schema/json-schema.js";

interface Doing {
	/** A copy; what is written to it becomes the outcome's changes. */
	state: JsonObject;
	acts: Act[];
	key: string;
	signal: AbortSignal;
}

export interface FakeTool {
	effect?: Effect;
	/** Names of required string arguments; anything else is refused. */
	args?: readonly string[];
	when?(state: JsonObject): boolean;
	end?: boolean;
	run?: ((args: JsonObject, doing: Doing) => unknown) | undefined;
}

export interface FakeAgent {
	state?: JsonObject;
	tools?: Readonly<Record<string, FakeTool>>;
	over?: Partial<Omit<AgentDeclaration, "settings">>;
	settings?: Partial<AgentDeclaration["settings"]>;
	view?(state: JsonObject): string;
	/** It has no hooks: no code runs when a call begins or ends. */
	hookless?: true;
	onCall?(doing: Omit<Doing, "key">): unknown;
	onEnd?(doing: Omit<Doing, "key">): unknown;
	/** Undefined for a pair of name and source that is not declared. */
	onEvent?: Readonly<Record<string, (data: Json, doing: Omit<Doing, "key">) => unknown>>;
	awaitsFinish?: boolean;
}

/** What really happened, over all sessions of one agent. */
export interface Happened {
	ran: { tool: string; key: string }[];
	hooks: string[];
	told: { event: string; data: Json }[];
	/** How many calls ran together, run by run. */
	together: number[];
}

/** A declaration by hand: plain functions over plain state, so that a test sees the turn and nothing else. */
export function fakeAgent(fake: FakeAgent): AgentDeclaration & { happened: Happened } {
	const tools = Object.entries(fake.tools ?? {}).map(([name, tool]) => declared(name, tool));
	const happened: Happened = { ran: [], hooks: [], told: [], together: [] };
	return {
		name: "desk",
		title: "Desk",
		doc: "A desk.",
		knowledge: "",
		tools,
		fields: [],
		getters: [],
		events: {},
		blocks: [],
		invocation: "each",
		warnings: [],
		...fake.over,
		settings: {
			maxSteps: 8,
			safeLine: "SAFE",
			apology: "APOLOGY",
			handover: "HANDOVER",
			window: 60,
			idleMs: 7_200_000,
			arrivals: "queue",
			quietMs: 1_500,
			longestWaitMs: 8_000,
			busy: "BUSY",
			...fake.settings,
		},
		open: (opening) => new FakeSession(fake, happened, opening),
		happened,
	};
}

function declared(name: string, tool: FakeTool): ToolDeclaration {
	return {
		name,
		description: `Does ${name}.`,
		parameters: { type: "object" },
		strict: false,
		effect: tool.effect ?? "once",
		pii: [],
		timeoutMs: 30_000,
		conditional: tool.when !== undefined,
		end: tool.end ?? false,
		check: (args) => checked(args, tool.args ?? []),
	};
}

function checked(args: Json, required: readonly string[]): Checked<JsonObject> {
	if (typeof args !== "object" || args === null || Array.isArray(args)) {
		return {
			ok: false,
			issues: [{ path: "", expected: "an object", got: Array.isArray(args) ? "a list" : typeof args }],
		};
	}
	const issues: Issue[] = [];
	for (const name of required) {
		const value = args[name];
		const got = value === undefined ? "nothing" : `a ${typeof value}`;
		if (typeof value !== "string") issues.push({ path: name, expected: "a string", got });
	}
	for (const name of Object.keys(args)) {
		if (!required.includes(name)) issues.push({ path: name, expected: "nothing", got: "an unknown member" });
	}
	return issues.length === 0 ? { ok: true, value: args } : { ok: false, issues };
}

class FakeSession implements AgentSession {
	#state: JsonObject;
	#seq = 0;

	constructor(
		private readonly fake: FakeAgent,
		private readonly happened: Happened,
		private readonly opening: SessionOpening,
	) {
		this.#state = structuredClone(opening.state ?? fake.state ?? {});
	}

	get awaitsFinish(): boolean {
		return this.fake.awaitsFinish ?? false;
	}

	snapshot(): JsonObject {
		return structuredClone(this.#state);
	}

	readable(): JsonObject {
		return this.snapshot();
	}

	visibility() {
		return Object.entries(this.fake.tools ?? {}).map(([tool, { when }]) =>
			when === undefined || when(this.#state) ? { tool, visible: true } : { tool, visible: false, why: "when says no" },
		);
	}

	render() {
		return this.fake.view?.(this.#state);
	}

	block() {
		return undefined;
	}

	run(calls: readonly PreparedCall[], { signal }: { signal: AbortSignal }): Promise<readonly ToolOutcome[]> {
		this.happened.together.push(calls.length);
		return Promise.all(calls.map((call) => this.#run(call, signal)));
	}

	async hook(name: "onCall" | "onEnd", signal: AbortSignal): Promise<Outcome | undefined> {
		this.happened.hooks.push(name);
		if (this.fake.hookless) return undefined;
		return this.#handle(`hook:${name}`, signal, (doing) => this.fake[name]?.(doing));
	}

	async event(name: string, data: Json, _source: string, signal: AbortSignal): Promise<Outcome | undefined> {
		const handler = this.fake.onEvent?.[name];
		if (handler === undefined) return undefined;
		this.happened.hooks.push(`event:${name}`);
		return this.#handle(`event:${name}`, signal, (doing) => handler(data, doing));
	}

	apply(outcome: Outcome): void {
		for (const change of outcome.changes) this.#state[change.field] = structuredClone(change.next);
	}

	emit(event: string, data: Json): void {
		this.happened.told.push({ event, data });
	}

	async #run(call: PreparedCall, signal: AbortSignal): Promise<ToolOutcome> {
		this.happened.ran.push({ tool: call.tool, key: call.key });
		const told = { id: call.id, tool: call.tool };
		try {
			const doing = { state: this.snapshot(), acts: [] as Act[], key: call.key, signal };
			const result = ((await this.fake.tools?.[call.tool]?.run?.(call.args, doing)) ?? null) as Json;
			const changes = this.#changes(doing.state, call.tool);
			return { ...told, status: "ok", result, content: JSON.stringify(result), changes, acts: doing.acts };
		} catch (error) {
			const content = JSON.stringify({ error: (error as Error).message });
			return { ...told, status: "failed", result: null, content, changes: [], acts: [] };
		}
	}

	async #handle(author: string, signal: AbortSignal, body: (doing: Omit<Doing, "key">) => unknown): Promise<Outcome> {
		const doing = { state: this.snapshot(), acts: [] as Act[], signal };
		await body(doing);
		return { changes: this.#changes(doing.state, author), acts: doing.acts };
	}

	#changes(next: JsonObject, author: string): Change[] {
		const fields = new Set([...Object.keys(this.#state), ...Object.keys(next)]);
		return [...fields].flatMap((field) => {
			if (JSON.stringify(this.#state[field]) === JSON.stringify(next[field])) return [];
			this.#seq += 1;
			const at = this.opening.clock.now();
			return [{ seq: this.#seq, field, prev: this.#state[field], next: next[field], author, at }];
		});
	}
}
