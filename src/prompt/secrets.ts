/** Shapes of keys and tokens that no prompt needs, each with its name in a sentence. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
	[/-----BEGIN [A-Z ]*PRIVATE KEY-----/, "a private key"],
	[/\bsk-(?:[a-z]+-)*[A-Za-z0-9_-]{20,}/, "an API key"],
	[/\b(?:gsk|xai|rk|pk)[-_](?:live_|test_)?[A-Za-z0-9]{20,}/, "an API key"],
	[/\bAIza[A-Za-z0-9_-]{35}/, "an API key"],
	[/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/, "an access key"],
	[/\bxox[abeprs]-[A-Za-z0-9-]{10,}/, "a Slack token"],
	[/\bgh[opsur]_[A-Za-z0-9]{30,}/, "a GitHub token"],
	[/\b\d{8,10}:[A-Za-z0-9_-]{35}\b/, "a bot token"],
	[/\bEAA[A-Za-z0-9]{40,}/, "an access token"],
	[/\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/, "a signed token"],
	[/\bBearer\s+[A-Za-z0-9._~+/-]{20,}/i, "a bearer token"],
];

/** No shape fits less. */
const SHORTEST = 15;
const EVERY: readonly RegExp[] = SHAPES.map(([shape]) => new RegExp(shape, `${shape.flags}g`));

/** What kind of secret a text holds by the look of it, or undefined. */
export function secretIn(text: string): string | undefined {
	return SHAPES.find(([shape]) => shape.test(text))?.[1];
}

/** The text with every secret in it replaced by `[secret]`. */
export function withoutSecrets(text: string): string {
	if (text.length < SHORTEST) return text;
	return EVERY.reduce((rest, shape) => rest.replace(shape, "[secret]"), text);
}
