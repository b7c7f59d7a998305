import type { LedgerLine } from "./ledger-line.js";

interface Waiter {
	reached: number;
	resolve: () => void;
}

/** A call whose worker was killed in its turn. */
interface Orphan {
	at: number;
	by: string;
	/** Something else was done to a process or to the store before anybody went on. */
	disturbed: boolean;
}

/** A call cut off is to be taken over within this, ms. */
const SOON_MS = 5_000;
/** And within this when more is wrong. */
const LONG_MS = 30_000;

/** Knows what the ledger has seen so far, and lets others wait for it. */
export class Watch {
	/** Distinct messages noted or answered. */
	handled = 0;
	/** Every line, as it came. */
	readonly lines: LedgerLine[] = [];
	/** From the kill of a worker to the next sign of life of the calls it was in the middle of, ms. */
	readonly takeovers: { address: string; ms: number; disturbed: boolean }[] = [];
	lastLineAt = Date.now();
	readonly #handled = new Set<string>();
	#over = false;
	readonly #waiters: Waiter[] = [];
	readonly #replies = new Map<string, () => void>();
	readonly #seen = new Set<string>();
	readonly #orphans = new Map<string, Orphan>();

	/** @param told hears of calls that nobody took over for long */
	constructor(private readonly told: (line: string) => void) {}

	take(lines: readonly LedgerLine[]): void {
		this.lastLineAt = Date.now();
		for (const line of lines) this.#take(line);
		this.#wake(this.handled);
	}

	/** Everything was handed over: whoever still waits for a number of messages goes on. */
	over(): void {
		this.#over = true;
		this.#wake(Number.POSITIVE_INFINITY);
	}

	#wake(handled: number): void {
		for (const waiter of this.#waiters.filter(({ reached }) => reached <= handled)) {
			this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
			waiter.resolve();
		}
	}

	#take(line: LedgerLine): void {
		this.lines.push(line);
		this.alive(line.address, line.by);
		if (line.what === "send") {
			if (!line.arrived) return;
			const name = `${line.address} ${line.text}`;
			if (line.text.startsWith("re ")) this.#handle(line.address, line.text.slice(3));
			this.#seen.add(name);
			this.#replies.get(name)?.();
			this.#replies.delete(name);
			return;
		}
		if (line.tool === "note") this.#handle(line.address, String(line.n));
	}

	#handle(address: string, n: string): void {
		this.#handled.add(`${address} ${n}`);
		this.handled = this.#handled.size;
	}

	/** Resolves once so many messages were handled. */
	reached(handled: number): Promise<void> {
		if (this.#over || this.handled >= handled) return Promise.resolve();
		return new Promise((resolve) => this.#waiters.push({ reached: handled, resolve }));
	}

	/** Resolves once a text has come to an address, or after `ms`. */
	async came(address: string, text: string, ms: number): Promise<void> {
		const name = `${address} ${text}`;
		if (this.#seen.has(name)) return;
		let timer: NodeJS.Timeout | undefined;
		await Promise.race([
			new Promise<void>((resolve) => this.#replies.set(name, resolve)),
			new Promise<void>((resolve) => {
				timer = setTimeout(resolve, ms);
			}),
		]);
		clearTimeout(timer);
		this.#replies.delete(name);
	}

	/** Something is done to a process or to the store: whoever waits for another worker may wait longer. */
	disturbed(): void {
		for (const orphan of this.#orphans.values()) orphan.disturbed = true;
	}

	/** The worker of these calls was killed in the middle of their turns; `disturbed`: while something else was wrong. */
	orphaned(addresses: readonly string[], by: string, disturbed: boolean): void {
		for (const address of addresses) this.#orphans.set(address, { at: Date.now(), by, disturbed });
	}

	/** Somebody does something for an address. */
	alive(address: string, by: string): void {
		const orphan = this.#orphans.get(address);
		if (orphan === undefined || orphan.by === by) return;
		this.#orphans.delete(address);
		const ms = Date.now() - orphan.at;
		this.takeovers.push({ address, ms, disturbed: orphan.disturbed });
		const more = orphan.disturbed ? ", with more wrong" : "";
		if (ms > (orphan.disturbed ? LONG_MS : SOON_MS))
			this.told(`${address}: cut off with ${orphan.by}, ${by} goes on after ${ms} ms${more}`);
	}
}
