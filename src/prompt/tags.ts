import type { Child } from "../agent/child.js";

/** The tags of a prompt and what each takes. Unknown ones are a compile error, and a refusal where nothing compiles. */
export interface TagProps {
	/** One paragraph. */
	p: { children?: Child };
	/** A part under a heading; deeper inside another section. Leaves no trace when it is empty. */
	section: { title?: string | undefined; children?: Child };
	ul: { children?: Child };
	/** A numbered list. */
	ol: { children?: Child };
	li: { children?: Child };
	/** A line break inside a paragraph or item. */
	br: { children?: never };
	/** Rows of cells under an optional head. Leaves no trace without rows. */
	table: { head?: readonly Child[]; rows: readonly (readonly Child[])[] };
	/** How something looks when it goes well. */
	example: { title?: string | undefined; children?: Child };
	/** A list of `rule`s under a heading, `Rules` unless named. */
	rules: { title?: string | undefined; children?: Child };
	rule: { children?: Child };
	/** What to do step by step in one kind of case. */
	protocol: { title: string; children?: Child };
	/**
	 * Words of a person or of an outside system, shown as one JSON string: on one line, in quotation marks, so that they
	 * cannot pose as a heading, a rule, a system word or a tool result.
	 */
	quote: { children?: Child };
}

export type Tag = keyof TagProps;

const tags: Record<Tag, true> = {
	p: true,
	section: true,
	ul: true,
	ol: true,
	li: true,
	br: true,
	table: true,
	example: true,
	rules: true,
	rule: true,
	protocol: true,
	quote: true,
};

export const tagNames = Object.keys(tags) as readonly Tag[];

export function isTag(name: string): name is Tag {
	return Object.hasOwn(tags, name);
}
