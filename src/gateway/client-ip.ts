/**
 * The address of the client: the peer itself, or, behind `hops` trusted proxies, what the outermost of them saw.
 * @param forwarded the `X-Forwarded-For` header
 */
export function clientIp(
	forwarded: string | readonly string[] | undefined,
	peer: string | undefined,
	hops: number,
): string {
	const chain = hops > 0 ? [forwarded ?? []].flat().join(",").split(",") : [];
	const seen = chain
		.map((part) => part.trim())
		.filter((part) => part !== "")
		.at(-hops);
	return plain(seen ?? peer ?? "unknown");
}

function plain(ip: string): string {
	return ip.startsWith("::ffff:") ? ip.slice("::ffff:".length) : ip;
}
