import { addEntry } from "./metadata.js";

/** Who may see a field: people of the business, anybody at the other end of the call, or nobody unmasked. */
export type Visibility = "tenant" | "public" | "pii";

export interface StateOptions {
	/** Default `tenant`. `public`: a page at the other end may read it. `pii`: masked in logs. */
	visibility?: Visibility;
	/** Short for `visibility: "pii"`. */
	pii?: boolean;
}

/** What `@state` wrote down of one field. */
export interface StateEntry {
	readonly options: StateOptions;
}

/** Where the entries of `@state` stand in a class's metadata. */
export const STATE = Symbol.for("callboard.state");

type FieldDecorator = (value: undefined, context: ClassFieldDecoratorContext) => void;

/**
 * Says that a field is state, and who may see it: `@state({ pii: true }) patient?: Patient`. Without any `@state` in a
 * class every field is state; with one, only decorated fields are, and the others are scratch space of one turn: not
 * stored, not shown, writable by anyone.
 *
 * A class that contradicts itself (`{ pii: true, visibility: "public" }`) is refused when it is loaded.
 */
export function state(value: undefined, context: ClassFieldDecoratorContext): void;
export function state(options?: StateOptions): FieldDecorator;
export function state(options: StateOptions = {}, context?: ClassFieldDecoratorContext): FieldDecorator | undefined {
	if (context !== undefined) {
		addEntry<StateEntry>(context.metadata, STATE, String(context.name), { options: {} });
		return undefined;
	}
	return (_value, place) => addEntry<StateEntry>(place.metadata, STATE, String(place.name), { options });
}
