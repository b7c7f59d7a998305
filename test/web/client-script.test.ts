import { readdirSync, readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { clientScript, serveAsset } from "../../channels/web/client-script.js";

const FOLDER = new URL("../../channels/web/client/", import.meta.url);
const MODULES = readdirSync(FOLDER).filter((name) => name.endsWith(".js") && name !== "page.js");

describe("the widget as one script", () => {
	test("holds every module, without module syntax, and stays inside one function", async () => {
		const { body } = await clientScript({});
		expect(body).not.toMatch(/^(import|export) /m);
		for (const name of MODULES) {
			const source = readFileSync(new URL(name, FOLDER), "utf8");
			const [, exported] = /^export (?:const|class|function|async function) (\w+)/m.exec(source) ?? [];
			expect(body, name).toMatch(new RegExp(`^(const|class|function|async function) ${exported}\\b`, "m"));
		}
		const global = {};
		expect(() => runInNewContext(body, global)).toThrow(/HTMLElement|document/);
		expect(Object.keys(global)).toEqual([]);
	});

	test("names nothing twice, though its modules share one scope", async () => {
		const { body } = await clientScript({});
		const names = [...body.matchAll(/^(?:const|let|class|function|async function) (\w+)/gm)].map((match) => match[1]);
		expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
		expect(names.length).toBeGreaterThan(30);
	});

	test("cannot be broken out of by a title", async () => {
		const { body } = await clientScript({ title: "</script><script>alert(1)</script>\u2028" });
		expect(body).not.toContain("</script>");
	});

	test("is small over the wire, and costs a browser that has it one short question", async () => {
		const script = await clientScript({});
		expect(script.zipped.byteLength).toBeLessThan(30_000);
		const zipped = serveAsset(script, new Request("http://x/", { headers: { "accept-encoding": "br, gzip" } }));
		expect(zipped.headers.get("content-encoding")).toBe("gzip");
		const known = serveAsset(script, new Request("http://x/", { headers: { "if-none-match": script.etag } }));
		expect([known.status, await known.text()]).toEqual([304, ""]);
	});
});
