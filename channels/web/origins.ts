/** Which pages may talk to the chat. The chat's own origin always may. */
export class Origins {
	readonly #allowed: readonly string[];

	/** @param allowed origins such as `https://example.com`, `https://*.example.com` (any depth below), or `*` for all */
	constructor(allowed: readonly string[]) {
		this.#allowed = allowed;
	}

	/** Whether a request comes from our own page. Browsers send `Origin` with every cross-site call and every socket. */
	same(request: Request): boolean {
		const origin = request.headers.get("origin");
		if (origin === null) return (request.headers.get("sec-fetch-site") ?? "same-origin") !== "cross-site";
		return hostOf(origin) === new URL(request.url).host;
	}

	allows(request: Request): boolean {
		if (this.same(request)) return true;
		const origin = request.headers.get("origin");
		return origin !== null && this.#allowed.some((pattern) => matches(pattern, origin));
	}
}

/** Whether this can stand in an allow-list. */
export function isOriginPattern(pattern: string): boolean {
	if (pattern === "*") return true;
	const plain = pattern.replace("://*.", "://");
	return URL.canParse(plain) && new URL(plain).origin === plain && /^https?:/.test(plain);
}

function matches(pattern: string, origin: string): boolean {
	if (pattern === "*" || pattern === origin) return true;
	const [scheme, host] = pattern.split("://*.");
	return host !== undefined && origin.startsWith(`${scheme}://`) && origin.endsWith(`.${host}`);
}

function hostOf(origin: string): string | undefined {
	return URL.canParse(origin) ? new URL(origin).host : undefined;
}
