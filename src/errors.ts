/**
 * Whose mistake an error is, so that the reader knows who has to act.
 *
 * - `author`: the agent file or its settings are wrong.
 * - `operator`: the machine, its environment or its command line is wrong.
 * - `model`: the model sent something unusable; it is told and can try again.
 * - `platform`: an outside service refused or did not answer.
 * - `person`: someone outside sent something that is not acceptable.
 * - `lease`: another worker owns the call now; nothing of this turn may be written.
 */
export type Fault = "author" | "operator" | "model" | "platform" | "person" | "lease";

export interface CallboardErrorOptions {
	/** Where it is: a file with its line, a class with its method, a door. */
	where?: string;
	/** What the reader does next, as one plain sentence. */
	next?: string;
	cause?: unknown;
}

/**
 * The one error class of Callboard. `message` says what is wrong in one plain sentence, with neither secrets nor a
 * customer's words in it; `code` is stable and may be tested by a program.
 */
export class CallboardError extends Error {
	override readonly name = "CallboardError";
	readonly where: string | undefined;
	readonly next: string | undefined;

	constructor(
		/** Stable, in capitals: `UNKNOWN_STAGE`. */
		readonly code: string,
		readonly fault: Fault,
		message: string,
		options: CallboardErrorOptions = {},
	) {
		super(message, options.cause === undefined ? undefined : { cause: options.cause });
		this.where = options.where;
		this.next = options.next;
	}

	/** One line for a terminal: place, what is wrong, what to do. */
	explain(): string {
		return this.next === undefined ? this.placed : `${this.placed}; ${this.next}`;
	}

	/** What is wrong, with the place in front. A message that begins with the file itself does not name it twice. */
	get placed(): string {
		const { where, message } = this;
		if (where === undefined) return message;
		const file = where.replace(/:\d+$/, "");
		return message.startsWith(`${file} `) ? `${where}${message.slice(file.length)}` : `${where}: ${message}`;
	}
}
