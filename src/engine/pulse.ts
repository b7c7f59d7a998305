/** Lets somebody wait until something has happened, whatever it was. */
export class Pulse {
	#waiting: (() => void)[] = [];

	/** Resolves at the next beat. */
	next(): Promise<void> {
		return new Promise((resolve) => this.#waiting.push(resolve));
	}

	beat(): void {
		const waiting = this.#waiting;
		this.#waiting = [];
		for (const each of waiting) each();
	}
}
