import { expect, test } from "vitest";
import { inMemory } from "../../src/engine/embedded/embedded.js";
import { MemoryStore } from "../../src/engine/embedded/memory-store.js";
import { silentLog } from "../../src/observe/log.js";
import {
	claimed,
	DAY,
	message,
	record,
	row,
	settlement,
	user,
} from "../../src/testing/backend-cases/conformance-case.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";

const limits = { inbox: 100, dedupeMs: 7 * DAY };

async function openBench() {
	const clock = new VirtualClock();
	const store = new MemoryStore();
	const backend = inMemory({ clock, log: silentLog, store });
	await backend.open();
	const keys = () =>
		store.read((tx) =>
			["head", "record", "row", "in", "out", "mark", "seen", "expire", "timer", "due", "journal"].flatMap((word) =>
				tx.range({ from: `${word} `, to: `${word}!` }).map(({ key }) => key),
			),
		);
	return { clock, backend, keys };
}

async function turn(
	backend: ReturnType<typeof inMemory>,
	address: string,
	id: string,
	more: Parameters<typeof settlement>[1] = {},
) {
	await backend.accept(message(address, id), limits);
	const { lease, position } = await claimed(backend, address);
	await backend.settle(lease, settlement(position + 1, more));
}

test("an ended call can be looked at for a month; then nothing of it, its ids or its address is left", async () => {
	const { clock, backend, keys } = await openBench();
	const ended = record({ ended: { at: clock.now(), reason: "idle" } });
	await turn(backend, "web|ana", "m1", { fresh: true, record: ended, append: [user("m1")] });
	await clock.advance(29 * DAY);
	for (let n = 0; n < 5; n += 1) await turn(backend, "web|ben", `a${n}`);
	expect((await backend.view("web|ana", { history: 10 })).history).toEqual([user("m1")]);
	await clock.advance(2 * DAY);
	for (let n = 0; n < 5; n += 1) await turn(backend, "web|ben", `b${n}`);
	expect(keys().filter((key) => key.includes("web|ana"))).toEqual([]);
	expect(await backend.list({ limit: 10 })).toEqual(["web|ben"]);
	await turn(backend, "web|ana", "m1");
	expect((await backend.view("web|ana", { history: 10 })).record?.ended).toBeUndefined();
});

test("a call that began after the ended one, or still waits for something, is not forgotten with it", async () => {
	const { clock, backend } = await openBench();
	const ended = record({ ended: { at: clock.now(), reason: "idle" } });
	await turn(backend, "web|ana", "m1", { fresh: true, record: ended });
	await turn(backend, "web|ana", "m2", { fresh: true, record: record({ id: "call-2" }), append: [user("m2")] });
	await turn(backend, "web|ben", "m1", { fresh: true, record: ended, outbox: [row("1")] });
	await clock.advance(40 * DAY);
	for (let n = 0; n < 20; n += 1) await turn(backend, "web|eva", `m${n}`);
	expect((await backend.view("web|ana", { history: 10 })).history).toEqual([user("m2")]);
	expect((await backend.view("web|ben", { history: 10 })).outbox).toHaveLength(1);
});

test("ids are cleared away as fast as they come in, so that what is stored stays bounded", async () => {
	const { clock, backend, keys } = await openBench();
	const size: number[] = [];
	for (let week = 0; week < 6; week += 1) {
		for (let n = 0; n < 200; n += 1) await turn(backend, `web|${n % 10}`, `m${week}-${n}`, { keep: 20 });
		await clock.advance(8 * DAY);
		size.push(keys().length);
	}
	expect(Math.max(...size.slice(2)) - size[1]!).toBeLessThan(20);
});

test("marks are kept, the newest hundred of an address", async () => {
	const { backend, keys } = await openBench();
	const rows = Array.from({ length: 130 }, (_, n) => row(`${n}`));
	await turn(backend, "web|ana", "m1", { outbox: rows });
	for (const { id } of rows) {
		await backend.take("web|ana", { owner: "s", leaseMs: 1_000 });
		await backend.mark("web|ana", "s", id, { status: "failed", reason: "blocked" });
	}
	const { marks } = await backend.view("web|ana", { history: 0 });
	expect(marks.map((mark) => mark.row.id)).toEqual(rows.slice(30).map(({ id }) => id));
	expect(keys().filter((key) => key.startsWith("mark "))).toHaveLength(100);
});

test("an owner taken before the first turn stays taken: the turn's words are kept back", async () => {
	const { backend } = await openBench();
	await backend.accept(message("web|ana", "m1"), limits);
	await backend.amend("web|ana", { owner: "human" });
	const { lease } = await claimed(backend, "web|ana");
	await backend.settle(lease, settlement(1, { fresh: true, outbox: [row("1")] }));
	expect((await backend.view("web|ana", { history: 0 })).record?.owner).toBe("human");
	expect((await backend.take("web|ana", { owner: "s", leaseMs: 1_000 })).outcome).toBe("discarded");
});
