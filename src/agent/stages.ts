/**
 * The stages of an agent, named once: `stage: Stages<"identify" | "book"> = "identify"`. The value written is where
 * every call begins; a tool moves on by `this.stage = "book"`.
 */
export type Stages<S extends string> = S;

const MARK = Symbol.for("callboard.stages");

interface StagesMarker {
	readonly [MARK]: readonly string[];
}

/**
 * The same for plain JavaScript, where there are no types: `stage = stages("identify", "book")`. The first value is where
 * every call begins, and the field holds it as a plain string once the agent runs.
 */
export function stages<const S extends readonly [string, ...string[]]>(...values: S): Stages<S[number]> {
	const marker: StagesMarker = { [MARK]: values };
	return marker as unknown as S[number];
}

/** The values given to `stages(…)`, when a field's first value came from it. */
export function stagesMarked(value: unknown): readonly string[] | undefined {
	return typeof value === "object" && value !== null ? (value as Partial<StagesMarker>)[MARK] : undefined;
}
