import type { Origins } from "./origins.js";
import type { Session, Sessions } from "./session.js";

/** Reads and writes where a session travels: a cookie on our own page, a bearer token from other sites. */
export class Credentials {
	readonly #sessions: Sessions;
	readonly #origins: Origins;
	readonly #cookie: string;
	readonly #path: string;

	constructor(sessions: Sessions, origins: Origins, door: string, path: string) {
		this.#sessions = sessions;
		this.#origins = origins;
		this.#cookie = `callboard-${door.replace(/[^\w-]/g, "-")}`;
		this.#path = path;
	}

	/** The token a request carries. The cookie counts only on our own page: another site may not speak for the visitor. */
	token(request: Request): string | undefined {
		const [scheme, bearer] = (request.headers.get("authorization") ?? "").split(" ");
		if (scheme === "Bearer" && bearer !== undefined) return bearer;
		return this.#origins.same(request) ? readCookie(request, this.#cookie) : undefined;
	}

	/** @param token one given in a frame, in place of what the request carries */
	session(request: Request, now: number, token = this.token(request)): Session | undefined {
		return token === undefined ? undefined : this.#sessions.verify(token, now);
	}

	setCookie(request: Request, token: string, seconds: number): string {
		const secure = new URL(request.url).protocol === "https:" ? "; Secure" : "";
		return `${this.#cookie}=${token}; Path=${this.#path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
	}
}

function readCookie(request: Request, name: string): string | undefined {
	for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
		const [key, value] = pair.trim().split("=");
		if (key === name && value !== undefined && value !== "") return value;
	}
	return undefined;
}
