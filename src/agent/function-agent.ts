import { type Author, isRecord, refusal } from "./author.js";
import { CallListeners } from "./call-listeners.js";
import type { AgentDeclaration, AgentSettings, EventSource } from "./declaration.js";
import { eventsFrom, greetingFrom, knowledgeFrom, languageFrom } from "./declare-config.js";
import { type AgentEvents, type AgentHandler, AgentHandlers, agentEventNames } from "./function-agent-events.js";
import { type LlmOptions, llmFrom } from "./function-agent-providers.js";
import { FunctionSession } from "./function-agent-session.js";
import { type FunctionTool, functionTools } from "./function-agent-tools.js";
import { nearest, suggestion } from "./nearest.js";
import { settingsFrom } from "./settings.js";

/** Options of voice agents: accepted, so that the same object serves both, and without meaning for written channels. */
const voiceOptions = ["voice", "stt", "tts", "turnDetection", "vad", "interruption", "recording", "phone"] as const;

const ownOptions = ["language", "greeting", "knowledge", "llm", "tools", "events", "settings"];

/** What `pc.agent(id, options)` takes. */
export interface FunctionAgentOptions extends Partial<Record<(typeof voiceOptions)[number], unknown>> {
	/** The language it answers in: `en`, `Spanish`. */
	language?: string;
	/** Said when a call begins: words, or instructions for the model's own. Absent: the person speaks first. */
	greeting?: string | { say: string } | { reply: string };
	/** A page the model knows by heart. */
	knowledge?: string;
	/** The model and its prompt, or in short `"openai/gpt-4.1-mini"`. */
	llm?: LlmOptions | string;
	tools?: readonly FunctionTool[];
	/** What may happen to a call from outside, told to `call.event`: `{ paid: { from: ["app"] } }`. */
	events?: Readonly<Record<string, { from: readonly EventSource[] }>>;
	/** How calls behave; every value has a default. */
	settings?: Partial<Omit<AgentSettings, "model">>;
}

/** An agent declared as an object, whose handlers answer the model's tool calls. Made by `callboard().agent(…)`. */
export class FunctionAgent {
	readonly id: string;
	readonly #handlers = new AgentHandlers();
	readonly #declaration: AgentDeclaration;

	/** @throws CallboardError with fault `author`, naming the option and the way out. */
	constructor(id: string, options: FunctionAgentOptions) {
		this.id = id;
		this.#declaration = declarationOf(id, options, this.#handlers);
	}

	/**
	 * Has `handler` called with `(data, call)` each time `event` happens. Several handlers of one event are all called; of
	 * several results for one tool call the first counts.
	 *
	 * @throws CallboardError `UNKNOWN_EVENT` for an event there is not.
	 */
	on<E extends keyof AgentEvents>(event: E, handler: AgentHandler<E>): this {
		const author = { title: this.id };
		if (!agentEventNames.includes(event)) {
			const message = `agent ${this.id} was to listen to ${event}, which never happens${suggestion(event, agentEventNames)}`;
			throw refusal(author, "UNKNOWN_EVENT", message, `the events are ${agentEventNames.join(", ")}`);
		}
		if (typeof handler !== "function") {
			const message = `the handler of ${event} of agent ${this.id} is no function`;
			throw refusal(author, "UNKNOWN_EVENT", message, `write agent.on("${event}", (data, call) => { … })`);
		}
		this.#handlers.add(event, handler);
		return this;
	}

	/**
	 * The agent as the rest of Callboard knows it.
	 *
	 * @throws CallboardError `NO_TOOL_HANDLER` when it has tools and nobody answers their calls.
	 */
	[Symbol.for("callboard.declare")](): AgentDeclaration {
		if (this.#declaration.tools.length > 0 && this.#handlers.of("llm.tool_call").length === 0) {
			const message = `agent ${this.id} has tools, and no handler answers their calls`;
			const next = 'add agent.on("llm.tool_call", async (data, call) => { … call.toolResult(data.msgId, results); })';
			throw refusal({ title: this.id }, "NO_TOOL_HANDLER", message, next);
		}
		return this.#declaration;
	}
}

/** Makes agents in the function-calling form. */
export interface Board {
	/**
	 * Declares one agent. The module that makes it exports it by default.
	 *
	 * @param id Small letters, digits and dashes: `support`.
	 * @throws CallboardError with fault `author`, naming the option and the way out.
	 */
	agent(id: string, options: FunctionAgentOptions): FunctionAgent;
}

/**
 * The way into the function-calling form: `const pc = callboard(); const agent = pc.agent("support", { … })`. For the
 * form in which methods are tools, extend `Agent`.
 */
export function callboard(): Board {
	const known = new Set<string>();
	return {
		agent(id, options) {
			const agent = new FunctionAgent(id, options);
			if (known.has(id)) {
				throw refusal(
					{ title: id },
					"DUPLICATE_AGENT",
					`there are two agents named ${id}`,
					"give one of them another id",
				);
			}
			known.add(id);
			return agent;
		},
	};
}

function declarationOf(id: string, options: FunctionAgentOptions, handlers: AgentHandlers): AgentDeclaration {
	const author: Author = { title: String(id) };
	if (typeof id !== "string" || !/^[a-z][a-z0-9-]{0,62}$/.test(id)) {
		const next = 'write pc.agent("support", { … }): small letters, digits and dashes, a letter first';
		throw refusal(author, "BAD_SLUG", `agent ${author.title} has no id that can stand in an address`, next);
	}
	if (!isRecord(options)) {
		throw refusal(
			author,
			"BAD_OPTIONS",
			`agent ${id} has no options`,
			'write pc.agent("support", { llm: { … }, tools: [ … ] })',
		);
	}
	const ignored = ignoredOptions(author, options);
	const { prompt, model, ignored: ignoredOfModel } = llmFrom(author, options.llm);
	const tools = functionTools(author, options.tools);
	const greeting = greetingFrom(author, options.greeting);
	const language = languageFrom(author, options.language);
	const events = eventsFrom(author, options.events);
	const plan = {
		title: id,
		tools: new Map(tools.map((tool) => [tool.name, tool])),
		events,
		handlers,
		listeners: new CallListeners(),
	};
	return {
		name: id,
		title: id,
		doc: prompt,
		knowledge: knowledgeFrom(author, options.knowledge),
		...(language === undefined ? {} : { language }),
		tools,
		fields: [],
		getters: [],
		events,
		blocks: [],
		...(greeting === undefined ? {} : { greeting }),
		settings: { ...settingsFrom(author, options.settings), ...(model === undefined ? {} : { model }) },
		invocation: "batch",
		warnings: [
			...notice(id, [...ignored, ...ignoredOfModel.map((name) => `llm.${name}`)]),
			...(prompt === "" ? [`agent ${id} has no llm.prompt, so the model is not told what it is`] : []),
		],
		open: (opening) => new FunctionSession(plan, opening),
	};
}

/** Options that mean nothing here. One that looks like a misspelled option of ours is refused instead. */
function ignoredOptions(author: Author, options: object): string[] {
	const names = Object.keys(options).filter((name) => !ownOptions.includes(name));
	for (const name of names) {
		if (["prompt", "model", "provider", "enabled"].includes(name)) {
			const next = `write llm: { ${name}: … }`;
			throw refusal(author, "BAD_OPTIONS", `${name} of agent ${author.title} stands outside of llm`, next);
		}
		if ((voiceOptions as readonly string[]).includes(name) || nearest(name, ownOptions) === undefined) continue;
		const message = `agent ${author.title} has no option ${name}${suggestion(name, ownOptions)}`;
		throw refusal(author, "BAD_OPTIONS", message, `the options are ${ownOptions.join(", ")}`);
	}
	return names;
}

function notice(id: string, ignored: readonly string[]): string[] {
	if (ignored.length === 0) return [];
	return [
		`agent ${id}: ${ignored.join(", ")} ${ignored.length === 1 ? "has" : "have"} no meaning in written channels and ${ignored.length === 1 ? "is" : "are"} ignored`,
	];
}
