import type { AgentClass } from "./agent.js";
import type { StateShape } from "./call-state.js";
import { prototypesOf } from "./declare-state.js";
import type { RunnableTool } from "./tool-run.js";

/** Where a piece of code may take the stage. `anywhere`: to one that its text does not tell. */
interface Moves {
	to: ReadonlySet<string>;
	anywhere: boolean;
	/** Whether it may end the call or hand it to people. */
	ends: boolean;
}

/**
 * What is odd about the stages, judged by the text of the methods: a stage no tool leaves, one no tool reaches, a tool
 * that is never shown. Silent wherever the text does not tell.
 */
export function stageWarnings(
	title: string,
	Class: AgentClass,
	stages: NonNullable<StateShape["stages"]>,
	tools: readonly RunnableTool[],
): readonly string[] {
	const sources = methodSources(Class);
	if ([...sources.values()].some((source) => movesIn(source).anywhere)) return [];
	const shown = (stage: string) => tools.filter(({ declaration }) => declaration.stages?.includes(stage) ?? true);
	const moves = new Map(tools.map(({ declaration }) => [declaration.name, reach(declaration.name, sources)]));
	const hooks = ["onCall", "onEvent"].map((name) => reach(name, sources));
	const reached = new Set([stages.initial, ...hooks.flatMap(({ to }) => [...to])]);
	for (const stage of reached) {
		for (const { declaration } of shown(stage)) {
			for (const next of moves.get(declaration.name)?.to ?? []) reached.add(next);
		}
	}
	const last = stages.values.at(-1);
	const leaves = (stage: string, move: Moves | undefined) =>
		move !== undefined && (move.ends || [...move.to].some((to) => to !== stage));
	const stuck = stages.values.filter(
		(stage) =>
			stage !== last &&
			reached.has(stage) &&
			!hooks.some((move) => leaves(stage, move)) &&
			!shown(stage).some(({ declaration }) => declaration.end || leaves(stage, moves.get(declaration.name))),
	);
	const lost = stages.values.filter((stage) => !reached.has(stage));
	const hidden = tools.filter(({ declaration }) => declaration.stages?.every((stage) => lost.includes(stage)));
	return [
		...stuck.map((stage) => `${title}: no tool leaves the stage ${stage}, so a call that comes there stays there`),
		...lost.map((stage) => `${title}: no tool or hook reaches the stage ${stage}`),
		...hidden.map(({ declaration }) => `${title}: tool ${declaration.name} is never shown, its stages are not reached`),
	];
}

/** Text of every method, getter and setter, own and inherited, the nearest one of a name. */
function methodSources(Class: AgentClass): ReadonlyMap<string, string> {
	const sources = new Map<string, string>();
	for (const prototype of prototypesOf(Class)) {
		for (const [name, { value, get, set }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
			if (name === "constructor") continue;
			const code = [value, get, set].filter((part) => typeof part === "function");
			sources.set(name, code.map((part) => Function.prototype.toString.call(part)).join("\n"));
		}
	}
	return sources;
}

/** The moves of a method and of all the methods that it mentions. */
function reach(name: string, sources: ReadonlyMap<string, string>): Moves {
	const seen = new Set([name]);
	const to = new Set<string>();
	let ends = false;
	for (const each of seen) {
		const source = sources.get(each) ?? "";
		const moves = movesIn(source);
		for (const stage of moves.to) to.add(stage);
		ends ||= moves.ends;
		for (const [, mentioned] of source.matchAll(/\.([A-Za-z_$][\w$]*)/g)) {
			if (mentioned !== undefined && sources.has(mentioned)) seen.add(mentioned);
		}
	}
	return { to, anywhere: false, ends };
}

const literal = /^\s*(?:[^;?]*\?\s*)?(["'`])([^"'`$]+)\1\s*(?::\s*(["'`])([^"'`$]+)\3\s*)?(?=[;,)}\n]|$)/;

/** What may write a stage that the text does not name: whole states, computed names, private methods (also as compiled). */
const unreadable =
	/\b(restore|startIn)\s*\(|["'`]stage["'`]|\bstage\s*(\?\?|\|\||&&)=|this\.#\w+\s*\(|__privateMethod\(|__(privateGet|classPrivateFieldGet)\([^)]*\)\.call\(/;

function movesIn(source: string): Moves {
	const to = new Set<string>();
	let anywhere = unreadable.test(source);
	for (const assignment of source.matchAll(/\.stage\s*=(?!=)/g)) {
		const found = literal.exec(source.slice(assignment.index + assignment[0].length));
		if (found === null) anywhere = true;
		else for (const stage of [found[2], found[4]]) if (stage !== undefined) to.add(stage);
	}
	return { to, anywhere, ends: /\b(hangup|forward)\s*\(/.test(source) };
}
