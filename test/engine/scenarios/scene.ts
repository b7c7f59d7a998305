import { test } from "vitest";
import type { AddressKey } from "../../../src/call/address.js";
import type { AddressView, Backend } from "../../../src/engine/backend.js";
import { type Delivered, type FakePayload, payloadText } from "../../../src/testing/fake-channel.js";
import { assertGlobalProperties, type Scenario } from "../../../src/testing/global-properties.js";
import { Arrivals } from "../arrivals.js";
import { Stand, type StandOptions } from "../stand.js";
import { type Mortal, mortal } from "./mortal.js";
import type { World } from "./world.js";

export interface SceneTest {
	name: string;
	play(scene: Scene): Promise<void>;
}

/** One scenario: a name that carries its rows of the pain log, and what happens. */
export function scenario(name: string, play: (scene: Scene) => Promise<void>): SceneTest {
	return { name, play };
}

/** Plays scenarios as tests, each in a world of its own. */
export function playAll(scenarios: readonly SceneTest[], make: () => World | Promise<World>): void {
	for (const { name, play } of scenarios) {
		test(name, async () => {
			const world = await make();
			const scene = new Scene(world);
			try {
				await play(scene);
			} finally {
				await scene.over();
				await world.dispose?.();
			}
		});
	}
}

/** How often it is looked whether all rests, before the time moves on. */
const ROUNDS_A_STEP = 30;

/** Processes that share a store and a platform. */
export class Scene {
	/** What people got, by whichever process. */
	readonly delivered: Delivered[] = [];
	readonly #arrivals = new Arrivals();
	readonly #processes = new Map<Stand, Mortal>();
	readonly #dead = new Set<Stand>();
	readonly #watcher: Backend;

	constructor(readonly world: World) {
		this.#watcher = world.backend();
	}

	get clock() {
		return this.world.clock;
	}

	/** Starts a process; all play the same agent unless told otherwise. */
	async start(options: Omit<StandOptions, "after"> = {}): Promise<Stand> {
		await this.#watcher.open();
		const { clock } = this;
		const life = mortal(this.world.backend());
		const stand = new Stand({ ...options, clock, backend: life.backend, arrivals: this.#arrivals });
		for (const channel of stand.channels) Reflect.set(channel, "delivered", this.delivered);
		this.#processes.set(stand, life);
		await stand.start();
		return stand;
	}

	/** Operations that a process asked of the backend, in order. */
	asked(stand: Stand): (keyof Backend)[] {
		return this.#processes.get(stand)?.asked ?? [];
	}

	/** As kill -9 does. */
	kill(stand: Stand): void {
		this.#processes.get(stand)?.kill();
		this.#dead.add(stand);
	}

	/** As SIGSTOP does, until what is returned is called. */
	freeze(stand: Stand): () => void {
		return this.#processes.get(stand)?.freeze() ?? (() => {});
	}

	/** Ends a process as a deploy does. */
	async stop(stand: Stand, graceMs = 0): Promise<void> {
		this.#dead.add(stand);
		await stand.runtime.stop(graceMs);
	}

	/** Waits, without the time moving, until something holds. */
	async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
		for (let round = 0; round < this.world.patience; round += 1) {
			if (await holds()) return;
			await this.clock.settle();
		}
		throw new Error(`never came true: ${what}`);
	}

	/** Lets time pass. */
	async pass(ms: number): Promise<void> {
		await this.clock.advance(ms);
		await this.clock.settle();
	}

	/** Lets time pass until nothing waits, runs or is being sent, at most `ms`. */
	async rest(ms = 30_000, stepMs = 250): Promise<void> {
		for (let passed = 0; ; passed += stepMs) {
			for (let round = 0; round < ROUNDS_A_STEP; round += 1) {
				await this.clock.settle();
				if (await this.#rests()) return;
			}
			if (passed >= ms) throw new Error(`no rest after ${ms} ms`);
			await this.clock.advance(stepMs);
		}
	}

	async #rests(): Promise<boolean> {
		const running = this.living.some(({ runtime }) => runtime.running.turns + runtime.running.sends > 0);
		if (running) return false;
		const [waiting, outbox] = await Promise.all([
			this.#watcher.list({ limit: 100, only: "waiting" }),
			this.#watcher.list({ limit: 1, only: "outbox" }),
		]);
		return waiting.length + outbox.length === 0;
	}

	get living(): readonly Stand[] {
		return [...this.#processes.keys()].filter((stand) => !this.#dead.has(stand));
	}

	view(address: AddressKey): Promise<AddressView> {
		return this.#watcher.view(address, { history: 100_000 });
	}

	/** What one chat got, in order. */
	heard(chat: string, door = "fake"): string[] {
		return this.delivered
			.filter(({ address }) => address === `${door}|${chat}`)
			.map(({ payload }) => payloadText(payload as FakePayload))
			.filter((text) => text !== "");
	}

	/** What people said, as the call's history has it. */
	async said(chat: string, door = "fake"): Promise<string[]> {
		const { history } = await this.view(`${door}|${chat}`);
		return history.flatMap((row) => {
			if (row.role !== "user") return [];
			const { content } = row;
			return [content.kind === "media" ? (content.media[0]?.ref ?? "") : "text" in content ? content.text : ""];
		});
	}

	/** What must hold after every scenario holds. */
	async end(more: Pick<Scenario, "accepted"> = {}): Promise<void> {
		await this.rest();
		const stands = [...this.#processes.keys()];
		const texts = stands.flatMap(({ log, requests }) => [
			...log.lines.map((line) => JSON.stringify(line)),
			...requests.map((request) => JSON.stringify(request)),
		]);
		await assertGlobalProperties(this.#watcher, { delivered: this.delivered, texts, ...more });
		await this.#arrivals.assert(
			this.#watcher,
			stands.flatMap(({ facts }) => facts),
		);
		const left = (await this.world.left?.()) ?? [];
		if (left.length > 0) throw new Error(`the store is not clean:\n- ${left.join("\n- ")}`);
	}

	/** Ends whatever still lives. */
	async over(): Promise<void> {
		for (const stand of this.living) await this.stop(stand);
		await this.#watcher.close();
	}
}
