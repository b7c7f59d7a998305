import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { agentUnderTest } from "../../src/testing/agent-under-test.js";
import { checkGolden, readGolden, readState } from "../../src/testing/golden.js";
import { runGolden } from "../../src/testing/run-golden.js";
import Workshop from "./quoting-agent.js";

const folder = mkdtempSync(join(tmpdir(), "callboard-golden-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(content: unknown): string {
	const path = join(folder, "some.json");
	writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
	return path;
}

const golden = readGolden(join(import.meta.dirname, "goldens/books-only-after-a-yes.json"));
const polite = { steps: [{ expect: { view: "today 2026-07-01" }, say: "Monday at five (mon-17), shall I book it?" }] };

describe("golden", () => {
	it("case 20: opens in its state without a greeting, on its day, and gives the same report twice", async () => {
		const report = await runGolden(golden, { agent: Workshop, script: polite });
		expect(report).toMatchObject({
			golden: "books-only-after-a-yes",
			held: true,
			tools: [],
			turns: [{ input: "the first one", said: ["Monday at five (mon-17), shall I book it?"] }],
			state: { stage: "quote", booked: "", openedOn: "2026-07-01" },
		});
		expect(await runGolden(golden, { agent: Workshop, script: polite })).toEqual(report);
	});

	it("case 20: does not hold when a forbidden tool ran or forbidden words were said, and says which", async () => {
		const hasty = { steps: [{ call: { book: { slot: "mon-17" } } }, { say: "It is BOOKED." }] };
		const report = await runGolden(golden, { agent: Workshop, script: hasty });
		expect(report.held).toBe(false);
		expect(report.findings.filter((finding) => !finding.held).map((finding) => finding.says)).toEqual([
			"book ran; ran: book",
			'"mon-17" was never said',
			'"booked" in part 1: It is BOOKED.',
		]);
	});

	it("plays events at their turn", async () => {
		const path = file({
			input: ["hello"],
			events: [{ after_turn: 1, name: "carReady" }],
			expect: { says: ["CAR IS READY"] },
		});
		const report = await runGolden(readGolden(path), { agent: Workshop, script: { steps: [{ say: "Hi" }] } });
		expect(report.held).toBe(true);
	});

	it.each([
		[{ input: ["x"], expect: {}, state: { slotz: [] } }, "Workshop has no field slotz"],
		[{ input: ["x"], expect: {}, state: { stage: "qoute" } }, 'Workshop has no stage "qoute"'],
		[{ input: ["x"], expect: { tools: ["bok"] } }, "Workshop has no tool bok"],
		[{ input: ["x"], expect: { not_tools: ["bok"] } }, "Workshop has no tool bok"],
		[{ input: ["x"], expect: {}, events: [{ after_turn: 0, name: "rain" }] }, "Workshop declares no event rain"],
	])("case 20: what the agent does not declare is a mistake in the golden: %j", async (content, message) => {
		const read = readGolden(file(content));
		const agent = await agentUnderTest(Workshop);
		expect(() => checkGolden(agent, read)).toThrow(message);
		await expect(runGolden(read, { agent, script: polite })).rejects.toMatchObject({
			code: "BAD_GOLDEN",
			fault: "author",
		});
	});

	it.each([
		["{ broken", "this is not JSON"],
		[{ input: [], expect: {} }, "input"],
		[{ input: ["x"], expect: { tool: ["book"] } }, "expect"],
		[{ input: ["x"], expect: {}, today: "tomorrow" }, "today"],
	])("a file that is no golden is refused with its place: %j", (content, message) => {
		const path = file(content);
		expect(() => readGolden(path)).toThrow(message);
		expect(() => readGolden(path)).toThrow(expect.objectContaining({ where: path, fault: "author" }));
	});

	it("is read as a state too, as a plain state is", () => {
		expect(readState(file({ stage: "quote" }))).toEqual({ stage: "quote" });
		expect(readState(file({ state: { stage: "quote" }, input: ["x"], expect: {} }))).toEqual({ stage: "quote" });
		expect(readState(file({ input: ["x"], expect: {} }))).toEqual({});
		const marked = file({});
		writeFileSync(marked, '\ufeff{"stage": "quote"}');
		expect(readState(marked)).toEqual({ stage: "quote" });
		expect(() => readState(file([1]))).toThrow("it holds no state");
		expect(() => readState("no-such-file.json")).toThrow("there is no such file");
	});
});
