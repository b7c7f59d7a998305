const WINDOW_MS = 60_000;
const SWEEP_ABOVE = 10_000;

interface Use {
	id: string;
	at: number;
}

/** At most `perMinute` different ids a key within any minute. */
export class RateLimit {
	readonly #perMinute: number;
	readonly #uses = new Map<string, Use[]>();

	constructor(perMinute: number) {
		this.#perMinute = perMinute;
	}

	/**
	 * Counts one use. The same id again is free, so that a resend costs nothing.
	 * @returns 0 when it may go on, else in how many ms it may come again
	 */
	take(key: string, id: string, now: number): number {
		if (this.#uses.size > SWEEP_ABOVE) this.#sweep(now);
		const recent = (this.#uses.get(key) ?? []).filter((use) => now - use.at < WINDOW_MS);
		if (recent.some((use) => use.id === id)) return 0;
		if (recent.length >= this.#perMinute) return recent[0]!.at + WINDOW_MS - now;
		recent.push({ id, at: now });
		this.#uses.set(key, recent);
		return 0;
	}

	#sweep(now: number): void {
		for (const [key, uses] of this.#uses) {
			if (now - (uses.at(-1)?.at ?? 0) >= WINDOW_MS) this.#uses.delete(key);
		}
	}
}

/** One customer line often holds a whole IPv6 /64: they count as one. */
export function rateKeyOfIp(ip: string): string {
	if (!ip.includes(":")) return ip;
	const [head = "", tail] = ip.split("::");
	const before = head === "" ? [] : head.split(":");
	const after = tail === undefined || tail === "" ? [] : tail.split(":");
	const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
	const groups = [...before, ...Array<string>(zeros).fill("0"), ...after];
	return `${groups.slice(0, 4).join(":")}::/64`;
}
