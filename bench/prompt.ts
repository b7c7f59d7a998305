/** What a turn pays to build its request, early and late in a call: equal, because the window is bounded. */
import type { HistoryEntry } from "../src/call/history.js";
import { staticRegion } from "../src/prompt/static-region.js";
import { viewRegion } from "../src/prompt/view-region.js";
import { modelHistory } from "../src/turn/model-history.js";
import { agentOf, opened } from "./fixtures/opened.js";
import { type Bench, median } from "./row.js";

const rounds = 7;
const builds = 400;

const bench: Bench = {
	name: "prompt",
	async run() {
		const agent = await agentOf("agents/clinica-norte/agent.tsx");
		const { window } = agent.settings;
		const build = (total: number) => {
			const rows = stored(total, window);
			return () => {
				const session = opened(agent, rows);
				const before = total * 2 - rows.length;
				return (
					staticRegion(agent).length + viewRegion(agent, session).length + modelHistory(rows, { window, before }).length
				);
			};
		};
		const early = build(window / 2);
		const late = build(10_000);
		const ten = build(10);
		const figures = { ten: [] as number[], early: [] as number[], late: [] as number[] };
		for (let round = 0; round <= rounds; round++) {
			for (const [name, run] of Object.entries({ ten, early, late })) {
				const ms = timed(run);
				if (round > 0) figures[name as keyof typeof figures].push(ms);
			}
		}
		const row = (name: string, against: number) => {
			const ours = median(figures.late);
			const ratio = ours / against;
			return { row: name, ours, against, ratio, target: "<= 1.2", ok: ratio <= 1.2, unit: "ms a build" };
		};
		return [
			row("10,000 turns against a full window of 60 rows", median(figures.early)),
			row("10,000 turns against 10 turns", median(figures.ten)),
		];
	},
};
export default bench;

/** The rows a turn is given: the newest of `turns` exchanges, as many as the window shows and a step more. */
function stored(turns: number, window: number): HistoryEntry[] {
	const count = Math.min(turns * 2, window);
	return Array.from({ length: count }, (_, n): HistoryEntry => {
		const at = turns * 2 - count + n;
		return at % 2 === 0
			? { role: "user", id: `m${at}`, content: { kind: "text", text: `Message ${at}, of an ordinary length.` }, at }
			: {
					role: "said",
					id: `c.${at}.0`,
					part: { kind: "text", text: `Answer ${at}, as long as most are.` },
					by: "model",
					at,
				};
	});
}

function timed(build: () => number): number {
	const start = performance.now();
	for (let n = 0; n < builds; n++) if (build() === 0) throw new Error("the bench built an empty prompt");
	return (performance.now() - start) / builds;
}
