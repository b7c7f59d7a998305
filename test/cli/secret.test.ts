import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { developmentSecret } from "../../src/cli/secret.js";
import { readConfig } from "../../src/config.js";

const folders: string[] = [];
function project() {
	const root = mkdtempSync(join(tmpdir(), "callboard-secret-"));
	folders.push(root);
	return readConfig({ root, environment: {} });
}
afterEach(() => {
	for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

test("the secret of development is made once, and made again when its file was left empty", () => {
	const config = project();
	const first = developmentSecret(config);
	expect(first).toMatch(/^[0-9a-f]{64}$/);
	expect(developmentSecret(config)).toBe(first);
	writeFileSync(join(config.data, "secret"), "");
	const second = developmentSecret(config);
	expect(second).toMatch(/^[0-9a-f]{64}$/);
	expect(readFileSync(join(config.data, "secret"), "utf8")).toBe(second);
});

test.each([
	["a file where the folder should be", (data: string) => writeFileSync(data, "")],
	["a folder where the secret should be", (data: string) => mkdirSync(join(data, "secret"), { recursive: true })],
])("%s is told as what it is", (_name, spoil) => {
	const config = project();
	spoil(config.data);
	expect(() => developmentSecret(config)).toThrow(
		expect.objectContaining({ code: "DATA_UNWRITABLE", fault: "operator" }),
	);
});
