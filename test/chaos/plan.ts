import { seededRandom } from "../../src/testing/replay-plan.js";
import type { ChaosOptions } from "./options.js";

/** A further hand-over of a message: at the same moment, right behind it, or once so many messages were handled. */
export type Repeat =
	| { when: "beside"; gateway: number }
	| { when: "soon"; gateway: number }
	| { when: "later"; gateway: number; after: number };

export interface PlannedMessage {
	/** Counts from 1 in its call. */
	n: number;
	id: string;
	gateway: number;
	/** Sent as soon as the one before was acknowledged; else once that one was answered. */
	burst: boolean;
	/** How long the person waits before it, ms. */
	pauseMs: number;
	repeats: readonly Repeat[];
}

/** Doors that leave an unknown send with a mark, and that can look it up. */
export type DoorName = "leave" | "lookup";

export interface PlannedCall {
	chat: string;
	door: DoorName;
	messages: readonly PlannedMessage[];
}

/**
 * What is done to the processes once so many messages were handled. `victim` picks a process, modulo their number;
 * `busy`: one in the middle of a turn, if there is any.
 */
export type Disturbance = { after: number; waitMs: number } & (
	| { what: "kill"; victim: number; busy: boolean }
	| { what: "kill gateway"; victim: number; busy: false }
	| { what: "drain"; victim: number; busy: boolean }
	| { what: "freeze"; victim: number; busy: boolean; ms: number }
	| { what: "redis"; signal: "SIGKILL" | "SIGTERM"; downMs: number }
);

export interface Plan {
	calls: readonly PlannedCall[];
	/** In order of `after`. */
	disturbances: readonly Disturbance[];
}

type Random = () => number;

/** Everything that a run injects from outside, decided by its options alone. */
export function makePlan(options: ChaosOptions): Plan {
	const random = seededRandom(options.seed);
	const sizes = Array.from({ length: options.calls }, () => 0);
	for (let message = 0; message < options.messages; message += 1) {
		const call = message < options.calls ? message : Math.floor(random() * options.calls);
		sizes[call] = (sizes[call] ?? 0) + 1;
	}
	const calls = sizes.map((size, index) => plannedCall(`chat${index}`, size, index, options, random));
	return { calls, disturbances: disturbances(options, random) };
}

function plannedCall(chat: string, size: number, index: number, options: ChaosOptions, random: Random): PlannedCall {
	const { gateways, duplicates, messages } = options;
	let inBurst = 0;
	return {
		chat,
		door: index % 2 === 0 ? "leave" : "lookup",
		messages: Array.from({ length: size }, (_, at): PlannedMessage => {
			const burst = inBurst > 0;
			inBurst = burst ? inBurst - 1 : random() < 0.15 ? Math.ceil(random() * 5) : 0;
			const repeats = random() < duplicates ? repeatsOf(gateways, messages, random) : [];
			return {
				n: at + 1,
				id: `${chat}.${at + 1}`,
				gateway: pick(gateways, random),
				burst,
				pauseMs: burst ? 0 : Math.floor(random() * 40),
				repeats,
			};
		}),
	};
}

function repeatsOf(gateways: number, messages: number, random: Random): Repeat[] {
	return Array.from({ length: 1 + Math.floor(random() ** 3 * 4) }, (): Repeat => {
		const gateway = pick(gateways, random);
		const kind = random();
		if (kind < 0.35) return { when: "beside", gateway };
		if (kind < 0.6) return { when: "soon", gateway };
		return { when: "later", gateway, after: Math.ceil(random() * Math.min(messages, 2_000)) };
	});
}

function disturbances(options: ChaosOptions, random: Random): Disturbance[] {
	const { kills, redisRestarts, messages, way, backend } = options;
	const when = () => ({
		after: Math.floor((0.01 + 0.97 * random()) * messages),
		waitMs: Math.floor(random() * 60),
	});
	const many = (count: number, make: () => Disturbance) => Array.from({ length: count }, make);
	const victim = () => ({ victim: Math.floor(random() * 1_000), busy: random() < 0.7 });
	const all = [
		...many(kills, () => ({ ...when(), what: "kill", ...victim() })),
		...many(Math.ceil(kills / 10), () => ({ ...when(), what: "drain", ...victim() })),
		...many(Math.ceil(kills / 5), () => ({ ...when(), what: "freeze", ...victim(), ms: frozenMs(random) })),
		...many(way === "direct" ? 0 : Math.ceil(kills / 10), () => ({
			...when(),
			what: "kill gateway",
			...victim(),
			busy: false,
		})),
		...many(backend === "redis" ? redisRestarts : 0, () => ({
			...when(),
			what: "redis",
			signal: random() < 0.8 ? "SIGKILL" : "SIGTERM",
			downMs: Math.floor(random() * 2_500),
		})),
	] satisfies Disturbance[];
	return (all as Disturbance[]).sort((a, b) => a.after - b.after);
}

/** Mostly longer than a lease, so that the process comes back as one that is no longer the owner of its calls. */
function frozenMs(random: Random): number {
	return Math.floor(random() < 0.2 ? 300 + random() * 1_700 : 2_500 + random() * 3_500);
}

function pick(count: number, random: Random): number {
	return Math.floor(random() * count);
}
