/** How a platform misbehaves when it hands things over. All of it is decided by `seed`, so that a run can be repeated. */
export interface ReplayPlan {
	/** How often each item comes. Default 1. */
	times?: number;
	/** Default `given`. */
	order?: "given" | "reversed" | "shuffled";
	/** How many come at the same moment. Default 1. */
	batch?: number;
	/** Ms on the clock between two batches. Default: none. */
	everyMs?: number;
	/** Decides the shuffle. Default 1. */
	seed?: number;
}

/** The batches in which a plan hands items over. Repeats of an item come anywhere after their first when shuffled. */
export function replayOrder<T>(items: readonly T[], plan: ReplayPlan): T[][] {
	const all = items.flatMap((item) => Array.from({ length: plan.times ?? 1 }, () => item));
	if (plan.order === "reversed") all.reverse();
	if (plan.order === "shuffled") shuffle(all, seededRandom(plan.seed ?? 1));
	const size = plan.batch ?? 1;
	return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));
}

function shuffle<T>(items: T[], random: () => number): void {
	for (let last = items.length - 1; last > 0; last -= 1) {
		const other = Math.floor(random() * (last + 1));
		const moved = items[last] as T;
		items[last] = items[other] as T;
		items[other] = moved;
	}
}

/** Numbers from 0 to 1 that look random and are the same for the same seed. */
export function seededRandom(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}
