/** From a parsed tool call to the method's first line and back to its outcome, beside a bare async function call. */
import { agentOf, opened } from "./fixtures/opened.js";
import { type Bench, median } from "./row.js";

const rounds = 5;
const calls = 2_000;
const targetMs = 0.2;

const bench: Bench = {
	name: "tool-call",
	async run() {
		const agent = await agentOf("bench/fixtures/lookup.ts");
		const tool = agent.tools.find(({ name }) => name === "lookup");
		if (tool === undefined) throw new Error("the bench's agent has no tool lookup");
		const session = opened(agent);
		const signal = new AbortController().signal;

		const whole: number[] = [];
		const bare: number[] = [];
		for (let round = 0; round <= rounds; round++) {
			const ours = await timed(async (n) => {
				const checked = tool.check({ orderId: `ORD-${n}`, lines: 3 });
				if (!checked.ok) throw new Error("the bench's arguments do not fit");
				const call = { id: `c${n}`, tool: "lookup", args: checked.value, key: `k${n}` };
				const [outcome] = await session.run([call], { msgId: "m", signal });
				if (outcome?.status !== "ok") throw new Error(`the bench's tool ended ${outcome?.status}`);
				session.apply(outcome);
			});
			const against = await timed(async (n) => {
				await plain(`ORD-${n}`, 3);
			});
			if (round === 0) continue;
			whole.push(ours);
			bare.push(against);
		}
		const ours = median(whole);
		return [
			{
				row: "check, run, apply",
				ours,
				against: targetMs,
				ratio: ours / targetMs,
				target: "<= 1 of 0.2 ms",
				ok: ours <= targetMs,
				unit: "ms a call",
			},
			{
				row: "bare async call, for scale",
				ours: median(bare),
				against: ours,
				ratio: median(bare) / ours,
				target: "none",
				ok: true,
				unit: "ms a call",
			},
		];
	},
};
export default bench;

async function plain(orderId: string, lines: number) {
	return { orderId, lines };
}

async function timed(once: (n: number) => Promise<void>): Promise<number> {
	const start = performance.now();
	for (let n = 0; n < calls; n++) await once(n);
	return (performance.now() - start) / calls;
}
