import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CallRecord } from "../../src/call/call-record.js";
import type { Claimed, Settlement } from "../../src/engine/backend.js";
import type { RedisBackend } from "../../src/engine/redis/redis-backend.js";
import { record, row, settlement, user } from "../../src/testing/backend-cases/conformance-case.js";
import { limits, message, opened } from "./desk.js";
import { RedisServer } from "./redis-server.js";

let server: RedisServer;
beforeAll(async () => {
	server = await RedisServer.start();
});
afterAll(() => server.dispose());

const A = "web|ana";
const WINDOW = 4;
const terms = { leaseMs: 60_000, window: WINDOW, items: 1 };

/** One thing that is done to a call, by the one process or the other. */
const steps = fc.array(
	fc.record({
		by: fc.nat({ max: 1 }),
		does: fc.constantFrom("turn", "chain", "fresh", "human", "agent", "human in mid-turn", "agent in mid-turn", "send"),
		rows: fc.nat({ max: 3 }),
	}),
	{ minLength: 3, maxLength: 14 },
);

/** A row leaves the history because its words were withheld, and another takes its place. */
const takenOutAndAdded = (["turn", "human", "send", "agent", "turn"] as const).map((does, at) => ({
	by: at === 0 || at === 4 ? 0 : 1,
	does,
	rows: at === 0 ? 1 : 0,
}));

/** A call in two processes, which each remember what they know of it. */
class TwoProcesses {
	#ids = 0;

	constructor(
		private readonly backends: readonly RedisBackend[],
		private readonly witness: RedisBackend,
	) {}

	async do(does: string, by: number, rows: number): Promise<void> {
		const backend = this.backends[by]!;
		if (does === "human" || does === "agent") return this.#belongsTo(does, backend);
		if (does === "send") return this.#send(backend);
		const id = this.#next("m");
		await backend.accept(message(A, id), limits);
		if (does === "chain") await backend.accept(message(A, this.#next("m")), limits);
		const got = await backend.claim(A, { owner: `p${by}`, ...terms });
		if (got.outcome !== "claimed") throw new Error(`the claim was answered ${got.outcome}`);
		await this.#agrees(got);
		if (does === "human in mid-turn") await this.#belongsTo("human", this.backends[1 - by]!);
		if (does === "agent in mid-turn") await this.#belongsTo("agent", this.backends[1 - by]!);
		const next = await backend.settle(
			got.lease,
			this.#decided(got, does, rows),
			does === "chain" ? { claim: terms } : {},
		);
		if (does !== "chain") return;
		if (next.claimed === undefined) throw new Error("what waits was not handed out");
		await this.#agrees(next.claimed);
		await backend.settle(next.claimed.lease, this.#decided(next.claimed, "turn", rows));
	}

	/** What a claim hands out is what is stored, whoever wrote it. */
	async #agrees({ record: known, history }: Claimed): Promise<void> {
		const stored = await this.witness.view(A, { history: WINDOW });
		expect({ record: known, history }).toEqual({ record: stored.record, history: stored.history });
	}

	#decided({ position, record: before }: Claimed, does: string, rows: number): Settlement {
		const fresh = before === undefined || does === "fresh";
		const id = fresh ? this.#next("call-") : before.id;
		const turns = fresh ? 1 : before.turns + 1;
		const epoch = before?.epoch ?? 0;
		const call: CallRecord = { ...record({ id, turns, epoch, state: { turns } }), owner: before?.owner ?? "agent" };
		const said = Array.from({ length: rows }, (_, index) => `${id}.${turns}.${index + 1}`);
		const append = [
			user(this.#next("u")),
			...said.map((part) => ({
				role: "said" as const,
				id: part,
				part: { kind: "text" as const, text: part },
				by: "model" as const,
				at: 0,
			})),
		];
		const outbox = said.map((part) => row(`${part}.0`, { epoch, turn: `${id}.${turns}` }));
		return settlement(position + 1, { record: call, fresh, append, outbox });
	}

	/** A person of the business says something and has the call, or gives it to the agent. */
	async #belongsTo(owner: "human" | "agent", backend: RedisBackend): Promise<void> {
		const id = this.#next("h");
		await backend.amend(A, {
			owner,
			append: [{ role: "said", id, part: { kind: "text", text: id }, by: "human", at: 0 }],
		});
	}

	/** Sends all that waits; what was decided under another owner is withheld, and leaves the history. */
	async #send(backend: RedisBackend): Promise<void> {
		for (;;) {
			const taken = await backend.take(A, { owner: "sender", leaseMs: 60_000 });
			if (taken.outcome === "empty") return;
			if (taken.outcome === "row") await backend.mark(A, "sender", taken.row.id, { status: "sent", platformId: "p" });
		}
	}

	#next(kind: string): string {
		this.#ids += 1;
		return `${kind}${this.#ids}`;
	}
}

test("whatever two processes do to a call, each claim hands out what is stored", async () => {
	let round = 0;
	await fc.assert(
		fc.asyncProperty(steps, async (script) => {
			round += 1;
			const prefix = `remembered${round}`;
			const all = await Promise.all([1, 2, 3].map(() => opened(server.url, prefix)));
			const [one, two, witness] = all as [RedisBackend, RedisBackend, RedisBackend];
			try {
				const processes = new TwoProcesses([one, two], witness);
				for (const { does, by, rows } of script) await processes.do(does, by, rows);
			} finally {
				await Promise.all(all.map((backend) => backend.close()));
			}
		}),
		{ numRuns: 40, seed: 20261130, examples: [[takenOutAndAdded]] },
	);
});

test("a call that is forgotten for a greater one while it is settled is handed out whole", async () => {
	const backend = await opened(server.url, "forgotten");
	const all = { leaseMs: 60_000, window: 60_000, items: 1 };
	const begun = async (address: string, rows: number) => {
		await backend.accept(message(address, "m1"), limits);
		const got = await backend.claim(address, { owner: "p", ...all });
		if (got.outcome !== "claimed") throw new Error(`the claim was answered ${got.outcome}`);
		const append = Array.from({ length: rows }, (_, index) => user(`u${index}`));
		return { got, decided: settlement(1, { record: record({}), fresh: true, append, keep: 60_000 }) };
	};
	const great = await begun("web|great", 50_000);
	await backend.settle(great.got.lease, great.decided);
	await backend.accept(message("web|great", "m2"), limits);
	const { got, decided } = await begun(A, 1);
	await backend.accept(message(A, "m2"), limits);
	const [, { claimed }] = await Promise.all([
		backend.claim("web|great", { owner: "p", ...all }),
		backend.settle(got.lease, decided, { claim: all }),
	]);
	const stored = await backend.view(A, { history: 10 });
	expect(claimed?.record).toEqual(stored.record);
	expect(claimed?.history).toEqual(stored.history);
	await backend.close();
});

test("of a window that is greater than what is kept, what is kept is handed out", async () => {
	const backend = await opened(server.url, "kept");
	const claim = async (id: string) => {
		await backend.accept(message(A, id), limits);
		const got = await backend.claim(A, { owner: "p", ...terms });
		if (got.outcome !== "claimed") throw new Error(`the claim was answered ${got.outcome}`);
		return got;
	};
	for (const [turn, id] of ["m1", "m2", "m3"].entries()) {
		const { lease } = await claim(id);
		const append = [user(`${id} 1`), user(`${id} 2`)];
		await backend.settle(lease, settlement(turn + 1, { record: record({}), fresh: turn === 0, append, keep: 2 }));
	}
	const { history } = await claim("m4");
	expect(history).toEqual((await backend.view(A, { history: WINDOW })).history);
	await backend.close();
});
