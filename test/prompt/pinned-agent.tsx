import type { Child } from "../../src/agent/child.js";
import type { AgentDeclaration, AgentSession, ToolDeclaration } from "../../src/agent/declaration.js";
import { staticSubject } from "../../src/agent/static-block.js";
import type { JsonObject } from "../../src/call/json.js";
import { silentLog } from "../../src/observe/log.js";

export interface Rider extends JsonObject {
	stage: "greet" | "quote";
	name: string;
	day: string;
	slots: string[];
	phone: string;
}

const initial: Rider = { stage: "greet", name: "", day: "", slots: [], phone: "" };

export interface PinnedOptions {
	/** The view; the default names the rider and says what to do. */
	view?: (state: Rider) => Child;
	staticBlock?: (state: Rider) => Child;
	dynamicBlock?: (state: Rider) => Child;
	over?: Partial<AgentDeclaration>;
}

/** A declaration with fixed tools and blocks, whose session can only be rendered. */
export function pinnedAgent(options: PinnedOptions = {}): AgentDeclaration {
	const blocks = [
		...(options.staticBlock ? [{ name: "house", region: "static" as const }] : []),
		...(options.dynamicBlock ? [{ name: "agenda", region: "dynamic" as const }] : []),
	];
	return {
		name: "bike-desk",
		title: "BikeDesk",
		doc: "Front desk of a bike workshop.\r\nOne question per message.\n",
		knowledge: "We open at 9.",
		language: "es",
		tools: [
			tool("findRider", "Finds a rider by phone.", ["greet"], false),
			tool("book", "Books an hour.\n\nAsk for a yes first.", ["quote"], true),
			tool("human", "Hands over to a person.", undefined, false),
		],
		stages: { values: ["greet", "quote"], initial: "greet" },
		fields: [
			{ name: "stage", visibility: "tenant" },
			{ name: "name", visibility: "tenant" },
			{ name: "day", visibility: "tenant" },
			{ name: "slots", visibility: "tenant" },
			{ name: "phone", visibility: "pii" },
		],
		getters: [],
		events: {},
		blocks,
		settings: {
			maxSteps: 8,
			safeLine: "One moment.",
			apology: "Sorry.",
			handover: "A person will answer.",
			window: 60,
			idleMs: 0,
			arrivals: "queue",
			quietMs: 1_500,
			longestWaitMs: 8_000,
			busy: "Busy.",
		},
		invocation: "each",
		warnings: [],
		open: ({ state = initial }) => session(state as Rider, options),
		...options.over,
	};
}

export function openPinned(agent: AgentDeclaration, state: Partial<Rider> = {}): AgentSession {
	return agent.open({
		state: { ...initial, ...state },
		clock: { now: () => 0, after: () => () => {} },
		log: silentLog,
		call: {
			id: "call-1",
			address: "web|a",
			channel: "web",
			transport: "chat",
			from: "web:a",
			contact: { id: "web:a" },
			today: "2026-05-04",
			history: () => [],
		},
	});
}

function session(state: Rider, options: PinnedOptions): AgentSession {
	const view = options.view ?? usualView;
	return {
		snapshot: () => structuredClone(state),
		readable: () => structuredClone(state),
		visibility: () => [
			state.stage === "greet"
				? { tool: "findRider", visible: true }
				: { tool: "findRider", visible: false, why: "stage is quote, it needs greet" },
			state.stage !== "quote"
				? { tool: "book", visible: false, why: "stage is greet, it needs quote" }
				: state.slots.length > 0
					? { tool: "book", visible: true }
					: { tool: "book", visible: false, why: "when() says no" },
			{ tool: "human", visible: true },
		],
		render: () => view(state),
		block: (name) => {
			if (name === "agenda") return options.dynamicBlock?.(state);
			const fields = new Set(Object.keys(state));
			return options.staticBlock?.(staticSubject(state, { owner: "BikeDesk", name, state: fields }));
		},
		run: async () => [],
		hook: async () => ({ changes: [], acts: [] }),
		event: async () => undefined,
		apply: () => {},
		emit: () => {},
		awaitsFinish: false,
	};
}

function usualView(state: Rider): Child {
	return (
		<>
			{state.name && <p>You talk to {state.name}; never ask the name again.</p>}
			<ul>
				{state.slots.map((slot) => (
					<li>{slot}</li>
				))}
			</ul>
			<p>{state.slots.length > 0 ? "Offer the hours above." : "Ask for the day."}</p>
		</>
	);
}

function tool(
	name: string,
	description: string,
	stages: readonly string[] | undefined,
	conditional: boolean,
): ToolDeclaration {
	return {
		name,
		description,
		parameters: { type: "object", properties: {}, additionalProperties: false },
		strict: true,
		effect: "read",
		pii: [],
		timeoutMs: 30_000,
		conditional,
		end: false,
		check: () => ({ ok: true, value: {} }),
		...(stages === undefined ? {} : { stages }),
	};
}
