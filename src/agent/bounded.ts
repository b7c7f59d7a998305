import type { Clock } from "../clock.js";
import type { Scope } from "./scope.js";

/** How a run ended, whichever came first. What the code does afterwards is no longer listened to. */
export type Ending =
	| { how: "returned"; value: unknown }
	| { how: "threw"; error: unknown }
	| { how: "timeout" }
	/** The turn itself was stopped. */
	| { how: "stopped"; reason: unknown };

/** What closes when the run ends. */
export type Running = Pick<Scope, "author" | "open" | "run">;

export interface Bounds {
	clock: Clock;
	/** Its time in ms. */
	ms: number;
	/** Stops it from outside. */
	outer: AbortSignal;
	/** Told to stop when its time is up or the turn is stopped. Its signal is the scope's. */
	controller: AbortController;
}

/** Runs code in a scope until it returns, throws, runs out of time or is stopped, and closes the scope at that moment. */
export function bounded(scope: Running, bounds: Bounds, body: () => unknown): Promise<Ending> {
	const { clock, ms, outer, controller } = bounds;
	return new Promise((resolve) => {
		const end = (ending: Ending) => {
			if (!scope.open) return;
			scope.open = false;
			stopTimer();
			outer.removeEventListener("abort", stop);
			resolve(ending);
		};
		const stop = () => {
			end({ how: "stopped", reason: outer.reason });
			controller.abort(outer.reason);
		};
		const stopTimer = clock.after(ms, () => {
			end({ how: "timeout" });
			controller.abort(new Error(`${scope.author} ran out of time`));
		});
		outer.addEventListener("abort", stop, { once: true });
		if (outer.aborted) return stop();
		scope
			.run(async () => body())
			.then(
				(value) => end({ how: "returned", value }),
				(error) => end({ how: "threw", error }),
			);
	});
}
