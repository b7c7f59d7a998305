import { expect } from "vitest";
import { addressKey } from "../../call/address.js";
import {
	acceptAll,
	claim,
	claimed,
	LEASE,
	limits,
	message,
	occurrence,
	record,
	row,
	rule,
	say,
	settlement,
	user,
} from "./conformance-case.js";

const at = (chat: string | number) => addressKey({ door: "web", chat: `${chat}` });
const A = at("ana");

export const reopeningCases = [
	rule("G11: everything that was written is there after a kill and a restart", async (bench) => {
		const timer = { id: "t1", at: bench.clock.now() + 3_600_000, item: occurrence(A, "o1") };
		await say(bench.backend, A, [row("1"), row("2")], { fresh: true, append: [user("m0")], timers: [timer] });
		await acceptAll(bench.backend, message(A, "m1", { platform: { deep: [1, { two: "ñ" }] } }), message(A, "m2"));
		await bench.backend.amend(A, { owner: "human" });
		const before = await bench.backend.view(A, { history: 10 });
		expect(before.waiting).toHaveLength(2);
		await bench.restart();
		expect(await bench.backend.view(A, { history: 10 })).toEqual(before);
		expect(await bench.backend.accept(message(A, "m1"), limits)).toEqual({ outcome: "duplicate" });
	}),

	rule("a lease from before a restart is refused, whoever comes after", async (bench) => {
		await acceptAll(bench.backend, message(A, "m1"));
		const { lease } = await claimed(bench.backend, A, "dead");
		await bench.restart();
		await bench.clock.advance(LEASE);
		const next = await claimed(bench.backend, A, "next");
		expect(next.lease.fence).toBeGreaterThan(lease.fence);
		await expect(bench.backend.settle(lease, settlement(1))).rejects.toMatchObject({ code: "LEASE_LOST" });
		await bench.backend.settle(next.lease, settlement(1));
	}),

	rule("a settlement sent again after a restart changes nothing", async (bench) => {
		await acceptAll(bench.backend, message(A, "m1"));
		const { lease } = await claimed(bench.backend, A);
		const turn = settlement(1, { append: [user("m1")], outbox: [row("1")], record: record({ turns: 4 }) });
		await bench.backend.settle(lease, turn);
		const before = await bench.backend.view(A, { history: 10 });
		await bench.restart();
		await bench.backend.settle(lease, turn);
		expect(await bench.backend.view(A, { history: 10 })).toEqual(before);
	}),

	rule("what is parked stays parked", async (bench) => {
		await acceptAll(bench.backend, message(A, "m1"));
		const { lease } = await claimed(bench.backend, A);
		await bench.backend.park(lease, "it threw");
		await bench.restart();
		expect(await claim(bench.backend, A)).toEqual({ outcome: "parked", reason: "it threw" });
	}),

	rule("addresses are listed page by page, each once, by what they have", async ({ backend }) => {
		const chats = Array.from({ length: 25 }, (_, n) => at(n));
		for (const chat of chats) await acceptAll(backend, message(chat, "m1"));
		await say(backend, at("out"), [row("1")]);
		const pages: string[] = [];
		for (let after: string | undefined; ; ) {
			const page = await backend.list({ limit: 10, ...(after === undefined ? {} : { after }) });
			pages.push(...page);
			after = page.at(-1);
			if (page.length < 10) break;
		}
		expect(pages.sort()).toEqual([...chats, at("out")].sort());
		expect([...(await backend.list({ limit: 100, only: "waiting" }))].sort()).toEqual([...chats].sort());
		expect(await backend.list({ limit: 100, only: "outbox" })).toEqual([at("out")]);
		expect(await backend.list({ limit: 100, only: "parked" })).toEqual([]);
	}),

	rule("one address can be the beginning of another's name", async ({ backend }) => {
		await acceptAll(backend, message("web|1", "m1"), message("web|1|7", "m2"), message("web|17", "m3"));
		expect((await backend.view("web|1", { history: 0 })).waiting).toEqual([message("web|1", "m1")]);
		expect((await claimed(backend, "web|1")).items).toHaveLength(1);
	}),

	rule("a closed backend refuses everything, and says so", async ({ backend }) => {
		await acceptAll(backend, message(A, "m1"));
		await backend.close();
		const refused = { code: "BACKEND_UNAVAILABLE", fault: "platform" };
		await expect(backend.accept(message(A, "m2"), limits)).rejects.toMatchObject(refused);
		await expect(claim(backend, A)).rejects.toMatchObject(refused);
		await expect(backend.view(A, { history: 0 })).rejects.toMatchObject(refused);
		await expect(backend.list({ limit: 1 })).rejects.toMatchObject(refused);
	}),
];
