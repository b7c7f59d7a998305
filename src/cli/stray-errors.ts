import type { Log } from "../observe/log.js";

/** Errors of code that nobody waits for: a rejected promise is logged and the process goes on. */
export interface StrayErrors {
	/** Resolves when something threw where nobody could catch it: the process should finish what runs and end. */
	readonly fatal: Promise<"fatal">;
	/** Ends the watch. */
	release(): void;
}

export function watchStrayErrors(log: Log): StrayErrors {
	let end: (fatal: "fatal") => void = () => {};
	const fatal = new Promise<"fatal">((resolve) => {
		end = resolve;
	});
	const rejected = (error: unknown) =>
		log.error("process.stray_rejection", { error, why: "a promise was rejected and nobody waited for it" });
	const thrown = (error: unknown) => {
		log.error("process.stray_error", { error, why: "something threw outside of any turn; the process ends in order" });
		end("fatal");
	};
	process.on("unhandledRejection", rejected).on("uncaughtException", thrown);
	return {
		fatal,
		release: () => void process.off("unhandledRejection", rejected).off("uncaughtException", thrown),
	};
}
