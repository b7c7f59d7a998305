import { createHash } from "node:crypto";

/** One atomic operation inside Redis. */
export interface Script {
	readonly name: string;
	readonly lua: string;
	/** How Redis knows it once it has seen it. */
	readonly sha: string;
}

/** Lua as it is written: backslashes are Lua's. */
export const lua = String.raw;

/** Puts an operation together from the parts it builds on, in their order. */
export function script(name: string, ...parts: readonly string[]): Script {
	const text = parts.join("\n");
	return { name, lua: text, sha: createHash("sha1").update(text).digest("hex") };
}
