import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("H10: the client library prints nothing of requests and answers, whatever its own log setting", async () => {
	const script = join(import.meta.dirname, "fixtures/printed.ts");
	const { stdout, stderr } = await promisify(execFile)(
		process.execPath,
		["-C", "callboard-source", "--import", "tsx", script],
		{ env: { ...process.env, OPENAI_LOG: "debug" } },
	);
	expect(stdout).toBe("MODEL_REFUSED_KEY\nMODEL_UNAVAILABLE\n");
	expect(stderr).toBe("");
});
