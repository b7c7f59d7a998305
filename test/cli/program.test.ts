import { describe, expect, it } from "vitest";
import { run } from "../../src/cli/program.js";
import type { Shell } from "../../src/cli/shell.js";

async function callboard(...args: readonly string[]) {
	const lines = { out: [] as string[], err: [] as string[] };
	const shell: Shell = {
		cwd: "/nowhere",
		isTty: false,
		out: (line) => void lines.out.push(line),
		err: (line) => void lines.err.push(line),
		stopAsked: () => new Promise(() => {}),
	};
	return { code: await run(args, shell), out: lines.out.join("\n"), err: lines.err.join("\n") };
}

describe("the command line", () => {
	it("explains itself, all verbs and the exit status", async () => {
		const { code, out, err } = await callboard("--help");
		expect(code).toBe(0);
		expect(err).toBe("");
		for (const verb of ["build", "dev", "start", "chat", "prompt", "doctor"]) expect(out).toContain(`\n  ${verb}`);
		expect(out).toContain("Exit status: 0 it did it, 1 what was looked at does not hold, 2 it cannot run.");
		expect((await callboard()).out).toBe(out);
	});

	it("explains one verb with its options", async () => {
		const { code, out } = await callboard("help", "chat");
		expect(code).toBe(0);
		expect(out).toContain("--say <text>");
		expect(out).toContain("--agent <name>");
	});

	it("prints its version", async () => {
		expect(await callboard("--version")).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
	});

	it.each([
		[["chta"], "callboard: unknown command 'chta'; did you mean chat?"],
		[["chat", "--sya", "x"], "callboard: unknown option '--sya'; did you mean --say?"],
		[["chat", "--say"], "callboard: option '--say <text>' argument missing"],
		[["build", "more"], "callboard: too many arguments for 'build'. Expected 0 arguments but got 1."],
	])("says in one line what %j gets wrong, and exits with 2", async (args, line) => {
		expect(await callboard(...args)).toEqual({ code: 2, out: "", err: line });
	});
});
