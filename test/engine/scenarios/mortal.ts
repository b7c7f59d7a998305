import type { Backend, Serving } from "../../../src/engine/backend.js";

/** The backend of a process that can be killed, and how often each operation was asked of it. */
export interface Mortal {
	backend: Backend;
	/** Names of the operations, in order. */
	readonly asked: (keyof Backend)[];
	/** From now on the process does nothing more: whatever it awaits never comes. */
	kill(): void;
	/** The process stands still until what is returned is called: what it asks meanwhile is asked then. */
	freeze(): () => void;
}

const SILENT: readonly PropertyKey[] = ["name", "queues", "publish", "listen", "open", "close", "view", "list"];

export function mortal(backend: Backend): Mortal {
	const asked: (keyof Backend)[] = [];
	const servings: Serving[] = [];
	let dead = false;
	let frozen: Promise<void> | undefined;
	const serveNoMore = () => {
		for (const serving of servings) void serving.stop(0);
	};
	const never = new Promise<never>(() => {});
	const watched = new Proxy(backend, {
		get(target, name: keyof Backend) {
			const found = target[name];
			if (typeof found !== "function") return found;
			if (name === "publish") return (news: never) => !dead && target.publish?.(news);
			if (name === "listen") return (hear: (news: unknown) => void) => target.listen?.((news) => !dead && hear(news));
			if (name === "serve") {
				return (...given: Parameters<Backend["serve"]>) => {
					const serving = target.serve(...given);
					servings.push(serving);
					return serving;
				};
			}
			return async (...given: never[]) => {
				await frozen;
				if (dead) return never;
				if (!SILENT.includes(name)) asked.push(name);
				try {
					const result = await (found as (...given: never[]) => unknown).apply(target, given);
					return dead ? await never : result;
				} catch (error) {
					if (dead) return never;
					throw error;
				}
			};
		},
	});
	return {
		backend: watched,
		asked,
		kill() {
			dead = true;
			serveNoMore();
		},
		freeze() {
			let thaw = () => {};
			frozen = new Promise((resolve) => {
				thaw = resolve;
			});
			serveNoMore();
			return thaw;
		},
	};
}
