/** What a verb may use of the process it runs in; a test gives its own. */
export interface Shell {
	/** The project's folder, unless told otherwise. */
	readonly cwd: string;
	/** Whether a person watches. */
	readonly isTty: boolean;
	/** Writes one line for whoever asked. */
	out(line: string): void;
	/** Writes one line about what went wrong. */
	err(line: string): void;
	/** Resolves when the process is asked to stop. Asked once more, it ends at once, by the signal. */
	stopAsked(): Promise<void>;
}

/** `0`: it did it. `1`: what was looked at does not hold. `2`: it cannot run. */
export type ExitCode = 0 | 1 | 2;

export function processShell(): Shell {
	// A reader that goes away, such as `head` or the collector of logs, ends neither the process nor what it does.
	for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
	return {
		cwd: process.cwd(),
		isTty: process.stdout.isTTY === true,
		out: (line) => void process.stdout.write(`${line}\n`),
		err: (line) => void process.stderr.write(`${line}\n`),
		stopAsked: () =>
			new Promise((resolve) => {
				const signals = ["SIGINT", "SIGTERM"] as const;
				const stop = () => {
					for (const signal of signals) process.off(signal, stop);
					resolve();
				};
				for (const signal of signals) process.on(signal, stop);
			}),
	};
}
