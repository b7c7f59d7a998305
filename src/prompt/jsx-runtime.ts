import type { Child, PromptNode } from "../agent/child.js";
import { CallboardError } from "../errors.js";
import { isTag, type TagProps, tagNames } from "./tags.js";

/** Holds several children without adding anything: `<>…</>`. */
export const Fragment = Symbol.for("callboard.fragment");

/**
 * Makes one prompt node; what JSX is compiled to.
 *
 * @throws CallboardError `UNKNOWN_TAG` for a tag that is none of the prompt's, or a component that is undefined.
 */
export function jsx(type: PromptNode["type"], props: PromptNode["props"]): PromptNode {
	if (typeof type === "function" || type === Fragment || (typeof type === "string" && isTag(type))) {
		return { $: "callboard.node", type, props };
	}
	const name = typeof type === "string" ? `<${type}>` : `a component that is ${type === null ? "null" : typeof type}`;
	throw new CallboardError("UNKNOWN_TAG", "author", `${name} is nothing a prompt can hold`, {
		next: `use one of ${tagNames.map((tag) => `<${tag}>`).join(", ")}, a fragment, or a function that returns them`,
	});
}

export { jsx as jsxDEV, jsx as jsxs };

export declare namespace JSX {
	type Element = PromptNode;
	type ElementType = keyof IntrinsicElements | ((props: never) => Child);
	interface ElementChildrenAttribute {
		children: unknown;
	}
	interface IntrinsicAttributes {
		key?: string | number;
	}
	interface IntrinsicElements extends TagProps {}
}
