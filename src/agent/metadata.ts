import { CallboardError } from "../errors.js";

/**
 * What decorators leave on a class: in `context.metadata`, which a subclass inherits, so that nothing about a class is
 * ever kept in a module. Imported before any decorated class exists, because Node 20 has no `Symbol.metadata` yet.
 */
const host = Symbol as { metadata?: symbol };
if (host.metadata === undefined) {
	Object.defineProperty(Symbol, "metadata", { value: Symbol.for("Symbol.metadata"), configurable: true });
}

/** The entries of one kind that a class declares or inherits, inherited ones first. */
export function entriesOf<T>(owner: object, kind: symbol): ReadonlyMap<string, T> {
	const metadata = (owner as Record<symbol, Record<symbol, ReadonlyMap<string, T>> | undefined>)[Symbol.metadata];
	return metadata?.[kind] ?? new Map();
}

/**
 * Adds one entry to the class being defined, leaving those of its parent as they are.
 * @throws CallboardError `OLD_DECORATORS` where the compiler gives none of the standard's metadata
 */
export function addEntry<T>(metadata: DecoratorMetadata | undefined, kind: symbol, name: string, entry: T): void {
	if (metadata === undefined) {
		throw new CallboardError("OLD_DECORATORS", "author", "decorators were compiled in TypeScript's old form", {
			next: 'take "experimentalDecorators" out of tsconfig.json',
		});
	}
	const known = metadata as Record<symbol, Map<string, T> | undefined>;
	if (!Object.hasOwn(metadata, kind)) known[kind] = new Map(known[kind]);
	known[kind]?.set(name, entry);
}
