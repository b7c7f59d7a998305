import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../src/testing/model-server.js";
import { bakery, bakeryDemo, callboard, freePort, type Project, project } from "./command.js";

let shop: Project;
beforeAll(() => {
	shop = project({ "agents/bakery/agent.tsx": bakery, "agents/bakery/demo.yaml": bakeryDemo });
});
afterAll(() => shop.remove());

const chat = (args: readonly string[], env: Record<string, string> = {}, input?: string) =>
	callboard(["chat", ...args], { cwd: shop.folder, env, ...(input === undefined ? {} : { input }) }).ended;

describe("callboard chat", () => {
	it("--say: prints both sides, says plainly that a demo answers, and exits with 0 when answered", async () => {
		expect(await chat(["--say", "hello", "--say", "4 cakes"])).toEqual({
			code: 0,
			out: [
				"bakery: Welcome to the bakery.",
				"you: hello",
				"bakery: How many cakes?",
				"you: 4 cakes",
				"bakery: That makes 4 cakes.",
				"",
			].join("\n"),
			err: "(no OPENAI_API_KEY is set, so a scripted demo answers, not a model (agents/bakery/demo.yaml))\n",
		});
	});

	it("a demo beside an agent whose folder has another name answers; one that names no tool of its is refused", async () => {
		const demo = bakeryDemo.replaceAll("order", "ordr");
		const corner = project({ "agents/corner/agent.tsx": bakery, "agents/corner/demo.yaml": demo });
		const said = async () => callboard(["chat", "--say", "4 cakes"], { cwd: corner.folder }).ended;
		const refused = await said();
		corner.write({ "agents/corner/demo.yaml": bakeryDemo });
		const answered = await said();
		corner.remove();
		expect(refused.code).toBe(2);
		expect(refused.err).toMatch(
			/demo\.yaml:4: bakery has no tool ordr; did you mean "order"\?; its tools are order, hours\n$/,
		);
		expect(answered).toMatchObject({ code: 0, out: expect.stringContaining("bakery: That makes 4 cakes.") });
	});

	it("reads lines from a pipe in the same way", async () => {
		const { code, out } = await chat([], {}, "2 cakes\n");
		expect(code).toBe(0);
		expect(out).toContain("you: 2 cakes\nbakery: That makes 2 cakes.\n");
	});

	it("asks a real model when there is a key, with the tools of the stage", async () => {
		const server: ModelServer = await startModelServer();
		server.answer({ calls: [{ name: "order", arguments: { count: 2 } }] }, { text: "Two cakes it is." });
		const env = { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: server.baseURL, CALLBOARD_MODEL: "small" };
		const { code, out, err } = await chat(["--say", "two cakes"], env);
		await server.close();
		expect(out).toContain("bakery: Two cakes it is.");
		expect(err).toContain("(model small at 127.0.0.1");
		expect(code).toBe(0);
		expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer sk-test", "Bearer sk-test"]);
	});

	it("a model that is down: one clear line, the agent apologises, and it exits with 1", async () => {
		const env = { OPENAI_API_KEY: "sk-secret-key-value", OPENAI_BASE_URL: `http://127.0.0.1:${await freePort()}/v1` };
		const { code, out, err } = await chat(["--say", "hello"], env);
		expect(code).toBe(1);
		expect(err.match(/^callboard: .*$/gm)).toEqual([
			expect.stringMatching(
				/^callboard: model gpt-4\.1-mini at 127\.0\.0\.1:\d+ did not answer; check that the server is up/,
			),
		]);
		expect(out).toMatch(/you: hello\nbakery: \S/);
		expect(out + err).not.toMatch(/secret|\n\s+at /);
	});

	it("a model that refuses the key: one clear line without the key", async () => {
		const server = await startModelServer();
		server.always(() => ({ status: 401, error: { message: "Incorrect API key provided: sk-secret-key-value" } }));
		const env = { OPENAI_API_KEY: "sk-secret-key-value", OPENAI_BASE_URL: server.baseURL };
		const { code, err } = await chat(["--say", "hello"], env);
		await server.close();
		expect(code).toBe(1);
		expect(err).toContain("refused the key for model gpt-4.1-mini; set a valid key");
		expect(err).not.toContain("secret");
	});

	it("an agent whose code fails out of sight: it is told, and the conversation goes on or ends in order", async () => {
		const careless = (does: string) =>
			project({
				"agents/bakery/agent.tsx": bakery.replace('return "8 to 5";', `${does} return "8 to 5";`),
				"agents/bakery/demo.yaml": bakeryDemo.replace(
					"rules:",
					"rules:\n  - when: { after: hours }\n    say: We open at 8.\n  - when: { said: hours }\n    call: { hours: {} }",
				),
			});
		const rejecting = careless('void Promise.reject(new Error("nobody waits"));');
		const throwing = careless('queueMicrotask(() => { throw new Error("nobody catches"); });');
		const say = ["chat", "--say", "hours", "--say", "hello"];
		const [goesOn, ends] = await Promise.all(
			[rejecting, throwing].map(({ folder }) => callboard(say, { cwd: folder }).ended),
		);
		rejecting.remove();
		throwing.remove();
		expect(goesOn).toMatchObject({ code: 0, out: expect.stringContaining("bakery: How many cakes?") });
		expect(goesOn?.err).toMatch(/error process\.stray_rejection error="nobody waits"/);
		expect(ends?.code).toBe(1);
		expect(ends?.err).toMatch(/error process\.stray_error error="nobody catches"/);
		expect(`${goesOn?.err}${ends?.err}`).not.toMatch(/\n\s+at /);
	});

	it("an agent that does not exist: one clear line with the names there are", async () => {
		expect(await chat(["--agent", "bakry", "--say", "hello"])).toEqual({
			code: 2,
			out: "",
			err: 'callboard: there is no agent bakry; did you mean "bakery"?; agents are: bakery\n',
		});
	});

	it("no key and no demo: one clear line that says what to write", async () => {
		const bare = project({ "agents/bakery/agent.tsx": bakery });
		const { code, err } = await callboard(["chat", "--say", "hello"], { cwd: bare.folder }).ended;
		bare.remove();
		expect({ code, err }).toEqual({
			code: 2,
			err: "callboard: there is no key for the model of bakery; put OPENAI_API_KEY=… into .env, or write a scripted demo in agents/bakery/demo.yaml\n",
		});
	});
});

describe("callboard prompt", () => {
	const prompt = (...args: string[]) => callboard(["prompt", ...args], { cwd: shop.folder }).ended;

	it("prints every block under its header, the stage and the tools", async () => {
		const { code, out } = await prompt();
		expect(code).toBe(0);
		expect(out).toMatch(/=== identity \(static\) ===\nYou take orders for a bakery\./);
		expect(out).toContain("=== view (dynamic) ===\nCakes so far: 0.");
		expect(out).toContain("stage: order (of order, done)");
		expect(out).toMatch(/\+ order {2,}in order/);
	});

	it("--state takes a plain state or a golden with its day, --stage goes over it", async () => {
		shop.write({
			"agents/bakery/agent.tsx": bakery.replace(
				"so far: {this.cakes}.",
				"so far: {this.cakes}. It is {this.call.today}.",
			),
			"plain.json": JSON.stringify({ cakes: 7, stage: "done" }),
			"golden.json": JSON.stringify({ state: { cakes: 8 }, today: "2026-03-02", input: ["hi"], expect: {} }),
		});
		const plain = (await prompt("--state", "plain.json")).out;
		expect(plain).toContain("Cakes so far: 7.");
		expect(plain).toMatch(/- order {2,}stage is done, it needs order/);
		const golden = (await prompt("--state", "golden.json", "--stage", "done")).out;
		shop.write({ "agents/bakery/agent.tsx": bakery });
		expect(golden).toContain("Cakes so far: 8. It is 2026-03-02.");
		expect(golden).toContain("stage: done");
	});

	it.each([
		[["--stage", "ordr"], 'bakery has no stage ordr; did you mean "order"?; stages are: order, done'],
		[["--state", "none.json"], "none.json: there is no such file; check the path"],
		[["--state", "odd.json"], "odd.json: Bakery has no field cake; its fields are: stage, cakes"],
	])("says in one line what %j gets wrong, and exits with 2", async (args, line) => {
		shop.write({ "odd.json": JSON.stringify({ cake: 1 }) });
		const { code, err } = await prompt(...args);
		expect(code).toBe(2);
		expect(err).toContain(line);
		expect(err.trim().split("\n")).toHaveLength(1);
	});
});
