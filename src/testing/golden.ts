import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { z } from "zod";
import type { AgentDeclaration } from "../agent/declaration.js";
import type { JsonObject } from "../call/json.js";
import { CallboardError } from "../errors.js";

const words = z.array(z.string().min(1));

const goldenSchema = z.strictObject({
	/** The state the call begins in; fields not named keep their first values. */
	state: z.record(z.string(), z.json()).optional(),
	/** The day it is, `YYYY-MM-DD`. */
	today: z.iso.date().optional(),
	/** What the person says, one message after the other. */
	input: z.array(z.string().min(1)).min(1),
	/** What happens in the application meanwhile; `after_turn` 0 is before the first message. */
	events: z
		.array(z.strictObject({ after_turn: z.int().min(0), name: z.string(), data: z.json().default(null) }))
		.default([]),
	expect: z.strictObject({
		/** Each of these tools ran. */
		tools: words.default([]),
		/** None of these tools ran. */
		not_tools: words.default([]),
		/** Each of these was said, in any case of letters. */
		says: words.default([]),
		/** None of these was said. */
		not: words.default([]),
	}),
	/** The call it was made from. */
	promoted_from: z.string().optional(),
});

/** A conversation with what must come of it, as a JSON file. Its name is the file's. */
export type Golden = z.output<typeof goldenSchema> & { name: string };

/**
 * Reads a golden.
 * @throws CallboardError `BAD_GOLDEN` (fault `author`) for a file that cannot be read as one
 */
export function readGolden(path: string): Golden {
	const checked = goldenSchema.safeParse(readJson(path));
	if (checked.success) return { ...checked.data, name: basename(path, ".json") };
	const issue = checked.error.issues[0];
	const where = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
	throw badGolden(
		path,
		`${where}${issue?.message ?? "it is no golden"}`,
		"a golden has state, today, input and expect",
	);
}

/**
 * Reads the state that `callboard prompt --state` shows: a plain state, or the `state` of a golden.
 * @throws CallboardError `BAD_GOLDEN` when the file holds no object
 */
export function readState(path: string): JsonObject {
	return readMoment(path).state;
}

/** The same, with the day of a golden that names one. */
export function readMoment(path: string): { state: JsonObject; today: string | undefined } {
	const content = readJson(path);
	if (typeof content !== "object" || content === null || Array.isArray(content)) {
		throw badGolden(path, "it holds no state", 'write { "stage": "choose", … }');
	}
	if (!("expect" in content && "input" in content)) return { state: content as JsonObject, today: undefined };
	const { state = {}, today } = readGolden(path);
	return { state: state as JsonObject, today };
}

/**
 * Holds a state against the agent it is meant for.
 * @throws CallboardError `BAD_GOLDEN` when it names a field the agent does not declare, or no stage of its
 */
export function checkState(agent: AgentDeclaration, state: JsonObject, path: string): void {
	const fields = agent.fields.map((field) => field.name);
	const unknown = Object.keys(state).find((name) => !fields.includes(name));
	if (unknown !== undefined) {
		throw badGolden(path, `${agent.title} has no field ${unknown}`, `its fields are: ${fields.join(", ") || "none"}`);
	}
	const { stage } = state;
	const stages = agent.stages?.values ?? [];
	if (stage !== undefined && stages.length > 0 && !stages.includes(String(stage))) {
		throw badGolden(
			path,
			`${agent.title} has no stage ${JSON.stringify(stage)}`,
			`its stages are: ${stages.join(", ")}`,
		);
	}
}

/** Holds a golden against its agent: fields, tools and events it names must be declared. */
export function checkGolden(agent: AgentDeclaration, golden: Golden): void {
	const path = `${golden.name}.json`;
	checkState(agent, (golden.state ?? {}) as JsonObject, path);
	const tools = agent.tools.map((tool) => tool.name);
	const unknown = [...golden.expect.tools, ...golden.expect.not_tools].find((name) => !tools.includes(name));
	if (unknown !== undefined) {
		throw badGolden(path, `${agent.title} has no tool ${unknown}`, `its tools are: ${tools.join(", ") || "none"}`);
	}
	const events = Object.keys(agent.events);
	const other = golden.events.find(({ name }) => !events.includes(name));
	if (other !== undefined) {
		throw badGolden(
			path,
			`${agent.title} declares no event ${other.name}`,
			`its events are: ${events.join(", ") || "none"}`,
		);
	}
}

function readJson(path: string): unknown {
	let content: string;
	try {
		content = readFileSync(path, "utf8").replace(/^\ufeff/, "");
	} catch (cause) {
		const reason = (cause as { code?: string }).code === "ENOENT" ? "there is no such file" : "it cannot be read";
		throw new CallboardError("BAD_GOLDEN", "author", reason, { where: path, next: "check the path", cause });
	}
	try {
		return JSON.parse(content);
	} catch (cause) {
		const place = cause instanceof Error ? (/position \d+/.exec(cause.message)?.[0] ?? "") : "";
		throw badGolden(path, `this is not JSON${place && `, at ${place}`}`, "correct it", cause);
	}
}

function badGolden(path: string, message: string, next: string, cause?: unknown): CallboardError {
	return new CallboardError("BAD_GOLDEN", "author", message, { where: path, next, cause });
}
