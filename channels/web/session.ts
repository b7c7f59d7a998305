import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";

/** A verified visitor. */
export interface Session {
	/** Random and unguessable; the chat of the visitor's address. */
	visitor: string;
	/** When it is over, ms since 1970. */
	expiresAt: number;
}

export interface IssuedSession extends Session {
	token: string;
}

interface Claims {
	/** Door it is for. */
	d: string;
	/** Visitor. */
	v: string;
	/** Expiry in ms. */
	e: number;
}

/** Issues and checks visitor sessions: `<claims>.<HMAC-SHA256>`, nothing is stored. */
export class Sessions {
	readonly #secrets: readonly string[];
	readonly #door: string;
	readonly #lifetimeMs: number;

	/** @param secrets the first signs; all are accepted, so that a secret can be replaced without ending sessions */
	constructor(secrets: readonly string[], door: string, lifetimeMs: number) {
		this.#secrets = secrets;
		this.#door = door;
		this.#lifetimeMs = lifetimeMs;
	}

	/** A session for a new visitor, or the given one's with a fresh expiry once half of it is used up. */
	issue(now: number, known?: { token: string; session: Session }): IssuedSession {
		if (known !== undefined && known.session.expiresAt - now > this.#lifetimeMs / 2) {
			return { ...known.session, token: known.token };
		}
		const session = { visitor: known?.session.visitor ?? randomUUID(), expiresAt: now + this.#lifetimeMs };
		const claims: Claims = { d: this.#door, v: session.visitor, e: session.expiresAt };
		const body = Buffer.from(JSON.stringify(claims)).toString("base64url");
		return { ...session, token: `${body}.${this.#sign(this.#secrets[0]!, body)}` };
	}

	/** The session of a token; undefined when it is forged, over, or another door's. */
	verify(token: string, now: number): Session | undefined {
		const [body, signature, ...rest] = token.split(".");
		if (body === undefined || signature === undefined || rest.length > 0) return undefined;
		if (!this.#secrets.some((secret) => sameText(this.#sign(secret, body), signature))) return undefined;
		const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Claims;
		if (claims.d !== this.#door || claims.e <= now) return undefined;
		return { visitor: claims.v, expiresAt: claims.e };
	}

	/** A UUID that only this server can know, always the same for the same words: an id that all tabs share. */
	sharedId(...words: readonly string[]): string {
		const hex = createHmac("sha256", this.#secrets[0]!)
			.update(JSON.stringify([this.#door, ...words]))
			.digest("hex");
		return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
	}

	#sign(secret: string, body: string): string {
		return createHmac("sha256", secret).update(`callboard-web.${body}`).digest("base64url");
	}
}

function sameText(expected: string, given: string): boolean {
	const a = Buffer.from(expected);
	const b = Buffer.from(given);
	return a.length === b.length && timingSafeEqual(a, b);
}
