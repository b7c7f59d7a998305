import type { JsonObject } from "../call/json.js";
import type { Contact } from "../call/message.js";
import { CallboardError } from "../errors.js";
import type { AgentManifest } from "../schema/manifest.js";
import { type Agent, type AgentClass, accessorsOf } from "./agent.js";
import { type Author, isAsync, kebab, nameOfClass, refusal } from "./author.js";
import { CallListeners } from "./call-listeners.js";
import { knowsStage } from "./call-state.js";
import { type ClassPlan, ClassSession } from "./class-session.js";
import type { AgentDeclaration, SessionOpening } from "./declaration.js";
import { blocksOf } from "./declare-blocks.js";
import { eventsFrom, greetingFrom, isWords, knowledgeFrom, languageFrom } from "./declare-config.js";
import { fieldsOf, gettersOf, stagesOf } from "./declare-state.js";
import { checkStages, toolsOf } from "./declare-tools.js";
import { settingsFrom } from "./settings.js";
import { stageWarnings } from "./stage-lint.js";

export interface DeclareOptions {
	/** Absolute path of the agent's file: the files it names lie beside it. */
	file?: string;
}

/** How many calls it is remembered of that an event was warned about. */
const WARNED = 1000;

/**
 * Reads a class once and says all that the rest of Callboard needs to know of it. Whatever could not work is refused
 * here, before any call.
 *
 * @param manifest What the compiler knows of the class. Without it tools need `doc` and zod `params`, or no parameters.
 * @throws CallboardError with fault `author`, naming the class, the member and the way out.
 */
export function declare(Class: AgentClass, manifest?: AgentManifest, options: DeclareOptions = {}): AgentDeclaration {
	const author = authorOf(Class, manifest, options);
	const slug = slugOf(author, Class);
	const probe = probeOf(author, Class);
	const config = probe as unknown as Readonly<Record<string, unknown>>;
	const fields = fieldsOf(author, Class, probe, manifest);
	const getters = gettersOf(author, Class, probe, fields);
	const tools = toolsOf(author, Class, manifest);
	const named = tools.flatMap(({ declaration }) => declaration.stages ?? []);
	const stages = stagesOf(author, probe, manifest, fields, named);
	checkStages(author, tools, stages, manifest);
	checkMembers(author, probe);
	for (const { declaration } of tools) checkTool(author, declaration.name, probe);
	const state = new Set([...fields.map(({ name }) => name), ...getters, "call"]);
	const { blocks, sources } = blocksOf(author, Class, probe, state);
	const doc = docOf(author, Class, manifest);
	const events = eventsFrom(author, Reflect.get(Class, "events"));
	const greeting = greetingFrom(author, config.greeting);
	const language = languageFrom(author, config.language);
	const plan: ClassPlan = {
		Class,
		shape: { title: author.title, fields: fields.map(({ name }) => name), ...(stages === undefined ? {} : { stages }) },
		accessors: accessorsOf(fields.map(({ name }) => name)),
		getters,
		tools,
		blocks: sources,
		events,
		listeners: new CallListeners(),
		firstWarning: onceEach(WARNED),
		last: lastOf(author, Class),
	};
	return {
		name: slug,
		title: author.title,
		doc,
		knowledge: knowledgeFrom(author, config.knowledge),
		...(language === undefined ? {} : { language }),
		tools: tools.map(({ declaration }) => declaration),
		...(stages === undefined ? {} : { stages: { values: stages.values, initial: stages.initial } }),
		fields,
		getters,
		events,
		blocks,
		...(greeting === undefined ? {} : { greeting }),
		settings: settingsFrom(author, Reflect.get(Class, "settings")),
		invocation: "each",
		warnings: warningsOf(author, plan, doc, probe),
		knows: (state: JsonObject) => state.stage === undefined || knowsStage(plan.shape, state.stage),
		open: (opening: SessionOpening) => new ClassSession(plan, opening),
	};
}

function authorOf(Class: AgentClass, manifest: AgentManifest | undefined, { file }: DeclareOptions): Author {
	const where = manifest?.file ?? file;
	const title = nameOfClass(Class);
	const author = { title, ...(file === undefined ? {} : { file }), ...(where === undefined ? {} : { where }) };
	if (title !== "" && title !== "default") return author;
	const next = "write export default class ClinicaNorte extends Agent";
	throw refusal(author, "NO_CLASS_NAME", "the agent class has no name", next);
}

function slugOf(author: Author, Class: AgentClass): string {
	const written: unknown = Object.hasOwn(Class, "slug") ? Reflect.get(Class, "slug") : undefined;
	const slug = written === undefined ? kebab(author.title) : written;
	if (typeof slug === "string" && /^[a-z][a-z0-9-]{0,62}$/.test(slug)) return slug;
	const next = 'write static slug = "clinica-norte": small letters, digits and dashes, a letter first';
	throw refusal(author, "BAD_SLUG", `${author.title} has no slug that can stand in an address`, next);
}

function docOf(author: Author, Class: AgentClass, manifest: AgentManifest | undefined): string {
	const written: unknown = Reflect.get(Class, "doc");
	const own = Object.hasOwn(Class, "doc");
	if (written === undefined || (!own && isWords(manifest?.doc))) return manifest?.doc ?? "";
	if (isWords(written)) return written;
	throw refusal(
		author,
		"BAD_DOC",
		`static doc of ${author.title} says nothing`,
		"write what the agent is, or leave it out",
	);
}

/** One instance that lives only while the class is read. */
function probeOf(author: Author, Class: AgentClass): Agent {
	try {
		return new Class();
	} catch (cause) {
		const why = cause instanceof CallboardError ? cause.explain() : cause instanceof Error ? cause.message : "it threw";
		const where = author.where === undefined ? {} : { where: author.where };
		throw new CallboardError("BAD_CONSTRUCTION", "author", `an instance of ${author.title} cannot be made: ${why}`, {
			...where,
			next: "give fields first values that need nothing but themselves, and do the rest in onCall",
			cause,
		});
	}
}

function checkMembers(author: Author, probe: Agent): void {
	for (const name of ["render", "onCall", "onEnd", "onEvent"]) {
		const member: unknown = Reflect.get(probe, name);
		if (member !== undefined && typeof member !== "function") {
			throw refusal(author, "BAD_MEMBER", `${name} of ${author.title} is no method`, `write ${name}() { … }`);
		}
		if (name === "render" && isAsync(member)) {
			const message = `render of ${author.title} is async, but a view is made of what is known already`;
			throw refusal(author, "BAD_MEMBER", message, "fetch in a tool or a hook, keep it in a field, and show the field");
		}
	}
}

/** A field of the same name stands before the method, and calling it would fail each time. */
function checkTool(author: Author, name: string, probe: Agent): void {
	if (typeof Reflect.get(probe, name) === "function") return;
	const message = `tool ${name} of ${author.title} is hidden behind a field of the same name`;
	throw refusal(author, "BAD_MEMBER", message, "give the field another name");
}

function lastOf(author: Author, Class: AgentClass): ClassPlan["last"] {
	const written: unknown = Reflect.get(Class, "last");
	if (typeof written === "function") {
		return async (contact: Contact) => (await Reflect.apply(written, Class, [contact])) as JsonObject | undefined;
	}
	return async () => {
		const message = `${author.title} was asked for a contact's last call, and nobody told it where those are kept`;
		const next = "write static last = async (contact) => the state that its onEnd stored for contact.id";
		throw refusal(author, "NO_LAST_STORE", message, next);
	};
}

function warningsOf(author: Author, plan: ClassPlan, doc: string, probe: Agent): readonly string[] {
	const { title } = author;
	const { stages } = plan.shape;
	const warnings: string[] = [];
	if (doc === "") warnings.push(`${title} has no docstring above the class, so the model is not told what it is`);
	if (stages?.complete === false) {
		warnings.push(
			`${title}: the stages are not named in one place, so a misspelled one goes unseen; write stage = stages("…")`,
		);
	}
	const listens = typeof Reflect.get(probe, "onEvent") === "function";
	const declared = Object.keys(plan.events).length > 0;
	if (listens && !declared) warnings.push(`${title} has onEvent but no static events, so it never hears any`);
	if (declared && !listens) warnings.push(`${title} declares events but has no onEvent, so nothing comes of them`);
	for (const event of timedEvents(plan.Class)) {
		if (plan.events[event]?.from.includes("timer")) continue;
		warnings.push(
			`${title} sets a timer for ${event}, and nothing hears it: write static events = { ${event}: { from: ["timer"] } }`,
		);
	}
	if (stages !== undefined) warnings.push(...stageWarnings(title, plan.Class, stages, plan.tools));
	return warnings;
}

/** The events that the text of a class names in `call.later`. */
function timedEvents(Class: AgentClass): ReadonlySet<string> {
	const timers = Function.prototype.toString.call(Class).matchAll(/\.later\(\s*\{[^{}]*\}\s*,\s*(["'`])([\w.:-]+)\1/g);
	return new Set([...timers].flatMap(([, , event]) => event ?? []));
}

/** Answers true the first time a pair is asked about; forgets the oldest of very many. */
function onceEach(limit: number): (call: string, event: string) => boolean {
	const seen = new Set<string>();
	return (call, event) => {
		const pair = JSON.stringify([call, event]);
		if (seen.has(pair)) return false;
		seen.add(pair);
		const [oldest] = seen;
		if (seen.size > limit && oldest !== undefined) seen.delete(oldest);
		return true;
	};
}
