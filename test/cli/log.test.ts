import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CallboardError } from "../../src/errors.js";
import { maskText } from "../../src/observe/mask.js";
import { pinoLog } from "../../src/observe/pino-log.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";

function recording(form: "json" | "line", level: "debug" | "info" | "silent" = "debug") {
	const lines: string[] = [];
	const output = { write: (line: string) => lines.push(line) };
	return { lines, log: pinoLog({ level, form, output, clock: new VirtualClock("2026-03-02") }) };
}

describe("log", () => {
	it("writes one JSON object a line, with the time of the clock", () => {
		const { lines, log } = recording("json");
		log.with({ door: "web" }).warn("tool.refused", { tool: "book", count: 2 });
		expect(lines.map((line) => JSON.parse(line))).toEqual([
			{ level: "warn", time: "2026-03-02T09:00:00.000Z", door: "web", tool: "book", count: 2, event: "tool.refused" },
		]);
	});

	it("names a field once, the way the line itself gives it", () => {
		const { lines, log } = recording("json");
		log.with({ turn: "t.6", call: "c" }).with({ call: "d" }).info("bot.finished", { turn: "t.5" });
		expect(lines[0]).toMatch(/"turn":"t\.5","call":"d","event":"bot\.finished"\}\n$/);
		expect(lines[0]?.match(/"turn"|"call"/g)).toHaveLength(2);
	});

	it("writes one short line for a person", () => {
		const { lines, log } = recording("line");
		const error = new CallboardError("X", "operator", "the port is taken", { next: "choose another" });
		log.error("gateway.failed", { error, port: 3000, why: "in use" });
		expect(lines).toEqual([
			'09:00:00 error gateway.failed error="the port is taken; choose another" port=3000 why="in use"\n',
		]);
	});

	it("leaves out what is below its level", () => {
		const info = recording("json", "info");
		info.log.debug("model.asked");
		const silent = recording("json", "silent");
		silent.log.error("gateway.failed");
		expect([...info.lines, ...silent.lines]).toEqual([]);
	});

	it("J: no phone number, mail address, key or password reaches a line, however deep it lies", () => {
		const { lines, log } = recording("json");
		const sensitive = [
			"+34 600 11 22 33",
			"600112233",
			"(555) 123-4567 89",
			"ana.perez+x@example.org",
			"sk-proj-abcdefghijklmnop",
			"xoxb-1234567890-abcdef",
			"123456789:AAF0abcdefghijklmnopqrstuvwxyz12345",
			"Bearer abcdefghijkl.mnop",
			"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def",
			"redis://default:hunter2hunter2@127.0.0.1:6379",
		];
		for (const secret of sensitive) {
			log.with({ address: `whatsapp|${encodeURIComponent(secret)}` }).info("turn.committed", {
				text: `call me at ${secret}, please`,
				deep: [{ list: [secret] }],
				error: new Error(`refused ${secret}`, { cause: new Error(secret) }),
				password: secret,
				OPENAI_API_KEY: secret,
			});
		}
		const all = lines.join("\n");
		for (const fragment of ["600", "112233", "4567", "example.org", "abcdefghijkl", "1234567890", "eyJ", "hunter2"]) {
			expect(all).not.toContain(fragment);
		}
		expect(lines).toHaveLength(sensitive.length);
	});

	it("leaves days, times, ids, counts and versions as they are", () => {
		for (const text of [
			"2026-03-02",
			"2026-03-02T09:00:00.000Z",
			"550e8400-e29b-41d4-a716-446655440000",
			"terminal|ana",
			"call_01HZX8K2.3.1",
			"gpt-4.1-mini",
			"127.0.0.1:3000",
			"turn 12 of 8",
			"agents/clinica-norte/agent.tsx:14",
		]) {
			expect(maskText(text)).toBe(text);
		}
	});

	it("survives anything that is logged", () => {
		const { lines, log } = recording("line");
		fc.assert(
			fc.property(fc.dictionary(fc.string(), fc.anything({ withBigInt: true, withDate: true })), (fields) => {
				lines.length = 0;
				log.info("any.thing", fields);
				expect(lines.join("").match(/\n/g)).toHaveLength(1);
			}),
		);
		const loop: Record<string, unknown> = {};
		loop.self = loop;
		log.info("loop", loop);
	});
});
