const HIDDEN = "***";
const DEEPEST = 6;

/** Names whose values are never written, whatever they hold. */
const SECRET_NAME =
	/^(?:.*_)?(?:api_?key|authorization|cookie|set-cookie|password|secret|token|access_?token|session)$/i;

const PATTERNS: readonly RegExp[] = [
	// Keys of providers and platforms: OpenAI, Slack, Telegram, GitHub, bearer headers, signed tokens.
	/\b(?:sk|pk|rk)-[\w-]{8,}/g,
	/\bxox[a-z]-[\w-]{8,}/g,
	/\b\d{6,12}:[A-Za-z0-9_-]{30,}/g,
	/\bgh[a-z]_\w{20,}/g,
	/\bBearer\s+[\w.~+/=-]{8,}/gi,
	/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]+/g,
	// The user and password of a URL.
	/(?<=:\/\/)[^\s/@]+@/g,
	// Addresses of people.
	/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g,
	// Phone numbers. A day and a time are none.
	/\+\d(?:[\s().-]?\d){6,14}(?!\w)/g,
	/(?<![\w.:-])(?!\d{4}-\d\d-\d\d)\d(?:[\s().-]?\d){8,14}(?![\w.:-])/g,
];

/** Takes phone numbers, mail addresses, keys and passwords out of a text, also where they are percent-encoded. */
export function maskText(text: string): string {
	const plain = /%[0-9A-F]{2}/i.test(text) ? decoded(text) : text;
	const masked = PATTERNS.reduce((rest, pattern) => rest.replace(pattern, HIDDEN), plain);
	return masked === plain ? text : masked;
}

function decoded(text: string): string {
	return text.replace(/(?:%[0-9A-F]{2})+/gi, (encoded) => {
		try {
			return decodeURIComponent(encoded);
		} catch {
			return encoded;
		}
	});
}

/** A copy of anything that is logged, with personal data and secrets taken out of every field, however deep. */
export function mask(value: unknown, depth = 0): unknown {
	if (typeof value === "string") return maskText(value);
	if (typeof value === "bigint") return String(value);
	if (typeof value !== "object" || value === null) return typeof value === "function" ? undefined : value;
	if (depth >= DEEPEST) return "…";
	if (value instanceof Error) return maskError(value, depth);
	if (Array.isArray(value)) return value.map((each) => mask(each, depth + 1));
	return Object.fromEntries(
		Object.entries(value).map(([name, each]) => [
			name,
			SECRET_NAME.test(name) && each !== undefined ? HIDDEN : mask(each, depth + 1),
		]),
	);
}

function maskError(error: Error, depth: number): Record<string, unknown> {
	const { code, where, next, fault } = error as { code?: unknown; where?: unknown; next?: unknown; fault?: unknown };
	const facts = { name: error.name, message: maskText(error.message), code, fault, where, next };
	const shown = Object.entries(facts).filter(([, value]) => value !== undefined);
	const cause = error.cause === undefined ? [] : [["cause", mask(error.cause, depth + 1)]];
	return Object.fromEntries([...shown, ...cause]);
}
