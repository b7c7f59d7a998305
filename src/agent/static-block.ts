import { CallboardError } from "../errors.js";

/** Names of the framework's own blocks, in the order in which a model reads them. */
const frameworkBlocks = ["identity", "knowledge", "tools", "history", "view"] as const;

/** Refuses a block name that is the framework's own. `owner` is the agent as its author calls it. */
export function refuseFrameworkBlock(owner: string, name: string): void {
	if (!(frameworkBlocks as readonly string[]).includes(name)) return;
	throw new CallboardError(
		"BLOCK_NAME_TAKEN",
		"author",
		`block ${name} of ${owner} has the name of a block of Callboard`,
		{
			next: `give it another name than ${frameworkBlocks.join(", ")}`,
		},
	);
}

/**
 * What a static block is rendered with in place of its agent: methods that read no state work, reading or writing any
 * of `state` (fields, getters and `call`) is refused. A static block stands in the part of the prompt that must stay
 * byte-identical through a call.
 *
 * @throws CallboardError `STATIC_BLOCK_READS_STATE` from the access, naming the block and the field.
 */
export function staticSubject<T extends object>(
	subject: T,
	block: { owner: string; name: string; state: ReadonlySet<string> },
): T {
	const refuse = (field: string | symbol, does: string): never => {
		throw new CallboardError(
			"STATIC_BLOCK_READS_STATE",
			"author",
			`static block ${block.name} of ${block.owner} ${does} ${String(field)}, which changes during a call`,
			{ next: "declare the block dynamic, or leave the state out of it" },
		);
	};
	return new Proxy(subject, {
		get(target, field, receiver) {
			if (typeof field === "string" && block.state.has(field)) refuse(field, "reads");
			return Reflect.get(target, field, receiver);
		},
		has(target, field) {
			if (typeof field === "string" && block.state.has(field)) refuse(field, "reads");
			return Reflect.has(target, field);
		},
		ownKeys: () => refuse("all fields", "reads"),
		set: (_target, field) => refuse(field, "writes"),
		defineProperty: (_target, field) => refuse(field, "writes"),
		deleteProperty: (_target, field) => refuse(field, "writes"),
	});
}
