import { describe, expect, test } from "vitest";
import { Credentials } from "../../channels/web/credentials.js";
import { Origins } from "../../channels/web/origins.js";
import { Sessions } from "../../channels/web/session.js";

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.UTC(2026, 2, 2);
const SECRET = "the first secret";

function sessions(secrets = [SECRET], door = "web"): Sessions {
	return new Sessions(secrets, door, 30 * DAY);
}

describe("a visitor session", () => {
	test("is verified by its signature and names the same visitor", () => {
		const issued = sessions().issue(NOW);
		expect(sessions().verify(issued.token, NOW)).toEqual({ visitor: issued.visitor, expiresAt: NOW + 30 * DAY });
		expect(sessions().issue(NOW).visitor).not.toBe(issued.visitor);
	});

	test("is refused when any character of it was changed", () => {
		const { token } = sessions().issue(NOW);
		const step = (char: string) => (char === "A" ? "B" : "A");
		for (const at of token.split("").keys()) {
			const forged = token.slice(0, at) + step(token[at] ?? "") + token.slice(at + 1);
			// The last character of base64url carries bits that decode to nothing; the text is compared, so it counts too.
			expect(sessions().verify(forged, NOW), `character ${at}`).toBeUndefined();
		}
	});

	test.each(["", ".", "a.b", "a.b.c", "{}", `${"x".repeat(5000)}.y`])("is refused when it is no token: %j", (token) => {
		expect(sessions().verify(token, NOW)).toBeUndefined();
	});

	test("is refused for another door, and under another secret", () => {
		const { token } = sessions().issue(NOW);
		expect(sessions([SECRET], "shop").verify(token, NOW)).toBeUndefined();
		expect(sessions(["another secret entirely"]).verify(token, NOW)).toBeUndefined();
	});

	test("is over at its expiry", () => {
		const { token } = sessions().issue(NOW);
		expect(sessions().verify(token, NOW + 30 * DAY - 1)).toBeDefined();
		expect(sessions().verify(token, NOW + 30 * DAY)).toBeUndefined();
	});

	test("is renewed for the same visitor once half of it is used up, and left alone before", () => {
		const { token, visitor } = sessions().issue(NOW);
		const renew = (at: number) => {
			const session = sessions().verify(token, at);
			return session === undefined ? undefined : sessions().issue(at, { token, session });
		};
		expect(renew(NOW + 14 * DAY)?.token).toBe(token);
		const later = renew(NOW + 16 * DAY);
		expect(later?.token).not.toBe(token);
		expect(later).toMatchObject({ visitor, expiresAt: NOW + 46 * DAY });
	});

	test("outlives a change of secret while the old one is still listed", () => {
		const { token, visitor } = sessions().issue(NOW);
		const both = sessions(["the new secret here", SECRET]);
		expect(both.verify(token, NOW)?.visitor).toBe(visitor);
		expect(sessions().verify(both.issue(NOW).token, NOW)).toBeUndefined();
	});

	test("gives all tabs the same id for the same thing, and nobody else", () => {
		const id = sessions().sharedId("open", "visitor", "call");
		expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
		expect(sessions().sharedId("open", "visitor", "call")).toBe(id);
		expect(sessions().sharedId("open", "visitorcall", "")).not.toBe(id);
		expect(sessions(["another secret entirely"]).sharedId("open", "visitor", "call")).not.toBe(id);
	});
});

describe("where a session travels", () => {
	const credentials = new Credentials(sessions(), new Origins(["https://shop.example"]), "web", "/chat");
	const { token } = sessions().issue(NOW);
	const cookie = credentials.setCookie(new Request("https://chat.example/chat/session"), token, 60);

	test("the cookie cannot be read by scripts, and is secure where the page is", () => {
		expect(cookie).toBe(`callboard-web=${token}; Path=/chat; Max-Age=60; HttpOnly; SameSite=Lax; Secure`);
		expect(credentials.setCookie(new Request("http://127.0.0.1/chat"), token, 60)).not.toContain("Secure");
	});

	test("the cookie speaks for the visitor on our own page only", () => {
		const headers = { cookie: `other=1; callboard-web=${token}` };
		const url = "https://chat.example/chat/events";
		const from = (origin: string) => new Request(url, { headers: { ...headers, origin } });
		expect(credentials.session(from("https://chat.example"), NOW)).toBeDefined();
		expect(credentials.session(from("https://shop.example"), NOW)).toBeUndefined();
		expect(credentials.session(from("https://evil.example"), NOW)).toBeUndefined();
	});

	test("other sites send it as a bearer token", () => {
		const headers = { authorization: `Bearer ${token}`, origin: "https://shop.example" };
		expect(credentials.session(new Request("https://chat.example/chat/events", { headers }), NOW)).toBeDefined();
	});
});
