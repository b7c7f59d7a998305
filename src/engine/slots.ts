/** A number of places, given in the order in which they were asked for. */
export class Slots {
	#free: number;
	readonly #waiting: (() => void)[] = [];

	constructor(places: number) {
		this.#free = places;
	}

	/** Takes a place if one is free now and nobody waits for it. */
	take(): boolean {
		if (this.#free === 0) return false;
		this.#free -= 1;
		return true;
	}

	/** Resolves with a place taken. */
	async wait(): Promise<void> {
		if (this.take()) return;
		await new Promise<void>((resolve) => this.#waiting.push(resolve));
	}

	/** Gives a place back: to whoever has waited longest. */
	give(): void {
		const next = this.#waiting.shift();
		if (next === undefined) this.#free += 1;
		else next();
	}
}
