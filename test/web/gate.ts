/** Something a script waits for until the test lets it go on. */
export class Gate {
	readonly passed: Promise<void>;
	open: () => void = () => {};

	constructor() {
		this.passed = new Promise((resolve) => {
			this.open = resolve;
		});
	}
}
