/**
 * The address a client typed: behind trusted proxies the forwarded scheme and host take the place of ours, so that
 * same-origin checks and secure cookies see what the browser sees.
 */
export function publicUrl(url: string, headers: Headers, hops: number): string {
	if (hops === 0) return url;
	const seen = new URL(url);
	const proto = outermost(headers.get("x-forwarded-proto"), hops) ?? seen.protocol.slice(0, -1);
	const host = outermost(headers.get("x-forwarded-host"), hops) ?? seen.host;
	const origin = `${proto === "https" ? "https" : "http"}://${host}`;
	return URL.canParse(origin) ? `${new URL(origin).origin}${seen.pathname}${seen.search}` : url;
}

/** Proxies append to the right; some set a single value whatever the number of hops. */
function outermost(header: string | null, hops: number): string | undefined {
	const parts = (header ?? "").split(",").map((part) => part.trim());
	const value = parts.at(-Math.min(hops, parts.length));
	return value === "" ? undefined : value;
}
