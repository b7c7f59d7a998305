import { CallboardError } from "../errors.js";
import type { Agent, AgentClass } from "./agent.js";
import { type Author, isAsync, isRecord, refusal, textOrFile } from "./author.js";
import type { Child, PromptNode } from "./child.js";
import type { BlockSource } from "./class-session.js";
import type { PromptBlock } from "./declaration.js";
import { refuseFrameworkBlock, staticSubject } from "./static-block.js";

/**
 * The author's own blocks: `static blocks = { static: { rules: "./rules.md" }, dynamic: { basket: (s) => … } }`. A source
 * is text, a text file beside the agent's own, or a function of the agent. A static block is rendered once, at load.
 *
 * @throws CallboardError `BAD_BLOCK`, `BLOCK_NAME_TAKEN`, `STATIC_BLOCK_READS_STATE`.
 */
export function blocksOf(
	author: Author,
	Class: AgentClass,
	probe: Agent,
	state: ReadonlySet<string>,
): { blocks: readonly PromptBlock[]; sources: ReadonlyMap<string, BlockSource> } {
	const written: unknown = Reflect.get(Class, "blocks");
	const blocks: PromptBlock[] = [];
	const sources = new Map<string, BlockSource>();
	if (written === undefined) return { blocks, sources };
	const way = 'write static blocks = { static: { rules: "./rules.md" }, dynamic: { basket: (s) => … } }';
	const bad = (what: string, next = way) => refusal(author, "BAD_BLOCK", `${what} of ${author.title}`, next);
	if (!isRecord(written)) throw bad("static blocks is no object");
	for (const [region, named] of Object.entries(written)) {
		if (region !== "static" && region !== "dynamic") throw bad(`there is no region ${region}, named by static blocks`);
		if (!isRecord(named)) throw bad(`the ${region} region has no named blocks: static blocks`);
		for (const [name, source] of Object.entries(named)) {
			refuseFrameworkBlock(author.title, name);
			if (!/^[A-Za-z][\w-]*$/.test(name)) throw bad(`block "${name}" has a name that is no word: static blocks`);
			if (sources.has(name)) throw bad(`block ${name} is declared twice in static blocks`, "rename one of the two");
			if (typeof source === "string" && source.trim() !== "") {
				const text = textOrFile(author, `block ${name} of ${author.title}`, source);
				sources.set(name, () => text);
			} else if (typeof source === "function" && !isAsync(source)) {
				sources.set(name, region === "static" ? renderedOnce(author, name, source, probe, state) : called(source));
			} else {
				throw bad(`block ${name} has no source: static blocks`, `give ${name} a text, a file or a function`);
			}
			blocks.push({ name, region });
		}
	}
	return { blocks, sources };
}

function called(source: object): BlockSource {
	return (instance) => (source as BlockSource)(instance);
}

function renderedOnce(
	author: Author,
	name: string,
	source: object,
	probe: Agent,
	state: ReadonlySet<string>,
): BlockSource {
	const subject = staticSubject<object>(probe, { owner: author.title, name, state });
	try {
		const child = expand((source as BlockSource)(subject));
		return () => child;
	} catch (cause) {
		if (cause instanceof CallboardError) throw cause;
		const where = author.where === undefined ? {} : { where: author.where };
		throw new CallboardError("BAD_BLOCK", "author", `static block ${name} of ${author.title} cannot be rendered`, {
			...where,
			next: `it threw: ${cause instanceof Error ? cause.message : "something that is no error"}`,
			cause,
		});
	}
}

/** Calls the components in it, so that what they read is read now. */
function expand(child: Child): Child {
	if (isList(child)) return child.map(expand);
	if (typeof child !== "object" || child === null) return child;
	if (typeof child.type === "function") return expand((child.type as (props: unknown) => Child)(child.props));
	const { children } = child.props;
	if (children === undefined) return child;
	return { ...child, props: { ...child.props, children: expand(children) } } satisfies PromptNode;
}

function isList(child: Child): child is readonly Child[] {
	return Array.isArray(child);
}
