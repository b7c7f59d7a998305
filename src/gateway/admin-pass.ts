import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../clock.js";

const COOKIE = "callboard-admin";
const HOURS_MS = 12 * 3_600_000;

/** Who may see the admin pages: a program with the token, or a browser that was given a cookie for it. */
export class AdminPass {
	readonly #token: string;
	readonly #clock: Clock;

	constructor(token: string, clock: Clock) {
		this.#token = token;
		this.#clock = clock;
	}

	/** Whether a request carries the token as `Authorization: Bearer …`. */
	bearer(request: Request): boolean {
		const [scheme, given] = (request.headers.get("authorization") ?? "").split(" ");
		return scheme === "Bearer" && given !== undefined && this.is(given);
	}

	is(token: string): boolean {
		const hash = (text: string) => createHash("sha256").update(text).digest();
		return timingSafeEqual(hash(token), hash(this.#token));
	}

	/** Whether a browser sent the cookie, still valid, from a page of ours. */
	browser(request: Request): boolean {
		const origin = request.headers.get("origin");
		if (origin !== null && origin !== new URL(request.url).origin) return false;
		const [until, seal] = (cookieOf(request) ?? "").split(".");
		if (until === undefined || seal === undefined || !(Number(until) > this.#clock.now())) return false;
		const right = Buffer.from(this.#seal(until));
		const given = Buffer.from(seal);
		return given.length === right.length && timingSafeEqual(given, right);
	}

	/** The `Set-Cookie` header for who showed the token. */
	cookie(request: Request): string {
		const until = String(this.#clock.now() + HOURS_MS);
		return cookieText(request, `${until}.${this.#seal(until)}`, HOURS_MS / 1000);
	}

	/** The `Set-Cookie` header for who leaves. */
	noCookie(request: Request): string {
		return cookieText(request, "", 0);
	}

	#seal(until: string): string {
		return createHmac("sha256", this.#token).update(`admin until ${until}`).digest("base64url");
	}
}

function cookieText(request: Request, value: string, seconds: number): string {
	const secure = new URL(request.url).protocol === "https:" ? "; Secure" : "";
	return `${COOKIE}=${value}; Path=/admin; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

function cookieOf(request: Request): string | undefined {
	const pairs = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
	return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
}
