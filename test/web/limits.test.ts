import { describe, expect, test } from "vitest";
import { web } from "../../channels/web/channel.js";
import { readClientFrame } from "../../channels/web/client-frame.js";
import { Origins } from "../../channels/web/origins.js";
import { type ClientFrame, MAX_FRAME_BYTES } from "../../channels/web/protocol.js";
import { RateLimit, rateKeyOfIp } from "../../channels/web/rate-limit.js";
import { webCapabilities } from "../../channels/web/web-capabilities.js";
import { webSettings } from "../../channels/web/web-options.js";
import { CallboardError } from "../../src/errors.js";

const ID = "7c0f3c0a-1111-4222-8333-444455556666";

describe("the rate limit", () => {
	test("lets so many through within any minute, and says when the next may come", () => {
		const limit = new RateLimit(2);
		expect(limit.take("ana", "1", 0)).toBe(0);
		expect(limit.take("ana", "2", 20_000)).toBe(0);
		expect(limit.take("ana", "3", 30_000)).toBe(30_000);
		expect(limit.take("ana", "3", 59_999)).toBe(1);
		expect(limit.take("ana", "3", 60_000)).toBe(0);
		expect(limit.take("ana", "4", 60_000)).toBe(20_000);
	});

	test("counts a message that is sent again once, and every visitor alone", () => {
		const limit = new RateLimit(1);
		expect(limit.take("ana", "1", 0)).toBe(0);
		expect(limit.take("ana", "1", 1)).toBe(0);
		expect(limit.take("ben", "1", 1)).toBe(0);
		expect(limit.take("ana", "2", 1)).toBeGreaterThan(0);
	});

	test("counts an IPv6 customer line as one", () => {
		expect(rateKeyOfIp("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64");
		expect(rateKeyOfIp("2001:db8:1:2::9")).toBe("2001:db8:1:2::/64");
		expect(rateKeyOfIp("2001:db8::9")).toBe("2001:db8:0:0::/64");
		expect(rateKeyOfIp("::1")).toBe("0:0:0:0::/64");
		expect(rateKeyOfIp("203.0.113.9")).toBe("203.0.113.9");
	});
});

describe("the origin allow-list", () => {
	const from = (origin: string | undefined, more: Record<string, string> = {}) =>
		new Request("https://chat.example:8443/chat/socket", {
			headers: { ...(origin === undefined ? {} : { origin }), ...more },
		});

	test("always lets its own page in, and a client that is no browser", () => {
		const none = new Origins([]);
		expect(none.allows(from("https://chat.example:8443"))).toBe(true);
		expect(none.allows(from(undefined))).toBe(true);
		expect(none.allows(from(undefined, { "sec-fetch-site": "same-origin" }))).toBe(true);
		expect(none.allows(from(undefined, { "sec-fetch-site": "cross-site" }))).toBe(false);
	});

	test.each([
		"https://chat.example",
		"https://chat.example:8443.evil.example",
		"https://evil.example",
		"null",
		"",
		"https://shop.example.evil.example",
		"http://shop.example",
		"https://notshop.example",
		"https://.wild.example",
		"https://wild.example",
		"https://a.b@wild.example",
	])("refuses %j", (origin) => {
		expect(new Origins(["https://shop.example", "https://*.wild.example:444"]).allows(from(origin))).toBe(false);
	});

	test("lets listed ones in, and all below a wildcard", () => {
		const list = new Origins(["https://shop.example", "https://*.wild.example"]);
		for (const origin of ["https://shop.example", "https://a.wild.example", "https://a.b.wild.example"]) {
			expect(list.allows(from(origin))).toBe(true);
		}
		expect(new Origins(["*"]).allows(from("https://anything.example"))).toBe(true);
	});
});

describe("frames of a stranger", () => {
	test("are taken when they are exactly what we know", () => {
		expect(readClientFrame(JSON.stringify({ type: "hello", token: "t", last: "x.1.0", language: "es-ES" }))).toEqual({
			type: "hello",
			token: "t",
			last: "x.1.0",
			language: "es-ES",
		});
		const content = { kind: "choice", choice: "book", text: "Book", of: "c.1.0.0" };
		expect(readClientFrame(JSON.stringify({ type: "message", id: ID, content }))).toEqual({
			type: "message",
			id: ID,
			content,
		});
	});

	test.each([
		"",
		"null",
		"[]",
		'"hello"',
		"{",
		'{"type":"admin"}',
		`{"type":"message","id":"1","content":{"kind":"text","text":"x"}}`,
		`{"type":"message","id":"${ID}"}`,
		`{"type":"message","id":"${ID}","content":{"kind":"text","text":"  "}}`,
		`{"type":"message","id":"${ID}","content":{"kind":"text","text":7}}`,
		`{"type":"message","id":"${ID}","content":{"kind":"choice","choice":"","text":"x"}}`,
		`{"type":"message","id":"${ID}","content":{"kind":"choice","choice":"${"x".repeat(513)}","text":"x"}}`,
		`{"type":"message","id":"${ID}","content":{"kind":"media","media":[{"ref":"http://169.254.169.254/"}]}}`,
	])("are refused when they are not: %s", (text) => {
		expect(readClientFrame(text)).toBeUndefined();
	});

	test("lose what does not belong into them", () => {
		const frame = { type: "message", id: ID, content: { kind: "text", text: "hi", by: "admin" }, address: "web|other" };
		expect(readClientFrame(JSON.stringify(frame))).toEqual({
			type: "message",
			id: ID,
			content: { kind: "text", text: "hi" },
		});
		expect(readClientFrame('{"type":"hello","language":"<b>","last":7}')).toEqual({ type: "hello" });
	});
});

describe("what is within the limits of its words fits a frame", () => {
	const size = (frame: ClientFrame) => Buffer.byteLength(JSON.stringify(frame));

	test.each(["\u0001", "\ud800", "\u20ac", '"', "\ud83d\ude00"])("in characters like %j", (worst) => {
		const fill = (units: number) => worst.repeat(units).slice(0, units);
		const { maxCharacters } = webSettings({});
		expect(webCapabilities.text.max).toBe(maxCharacters);
		const frames: ClientFrame[] = [
			{ type: "hello", token: "t".repeat(2048), last: fill(512), language: "es-ES" },
			{ type: "message", id: ID, content: { kind: "text", text: fill(maxCharacters) } },
			{ type: "message", id: ID, content: { kind: "choice", choice: fill(512), text: fill(200), of: fill(512) } },
			// The data of an event is measured as JSON, which may be written with an escape for each character.
			{ type: "event", id: ID, name: fill(200), data: fill(maxCharacters) },
		];
		for (const frame of frames) {
			expect(readClientFrame(JSON.stringify(frame))).toEqual(frame);
			expect(size(frame)).toBeLessThanOrEqual(MAX_FRAME_BYTES);
		}
	});
});

describe("options that cannot work are refused by name", () => {
	test.each([
		[{ secret: "short" }, "secret", "openssl rand"],
		[{ allowedOrigins: ["shop.example"] }, "allowedOrigins", "https://example.com"],
		[{ allowedOrigins: ["https://shop.example/"] }, "allowedOrigins", "https://example.com"],
		[{ path: "chat" }, "path", "/chat"],
		[{ maxCharacters: 9_000 }, "maxCharacters", "lower it"],
		[{ rate: { perSession: 0 } }, "rate.perSession", "10"],
	])("%j", (options, name, next) => {
		const refused = (() => {
			try {
				web(options);
			} catch (error) {
				return error;
			}
		})();
		expect(refused).toBeInstanceOf(CallboardError);
		expect(refused).toMatchObject({ code: "WEB_OPTION_INVALID", fault: "author" });
		expect((refused as CallboardError).message).toContain(name);
		expect((refused as CallboardError).next).toContain(next);
		expect((refused as CallboardError).explain()).not.toContain("short ");
	});
});
