import { describe, expect, test } from "vitest";
import { addressKey } from "../../src/call/address.js";
import type { HistoryEntry } from "../../src/call/history.js";
import type { AddressView, Backend, OutboxMark } from "../../src/engine/backend.js";
import { type Counts, check } from "./check.js";
import { type ClerkState, isReminded, isTallied } from "./clerk.js";
import { replyTo, wordsOf } from "./clerk-model.js";
import type { LedgerLine } from "./ledger-line.js";
import { chaosOptions } from "./options.js";
import { makePlan, type PlannedCall } from "./plan.js";

type Send = Extract<LedgerLine, { what: "send" }>;
type Said = Extract<HistoryEntry, { role: "said" }>;

interface Call {
	planned: PlannedCall;
	address: string;
	history: HistoryEntry[];
	state: ClerkState;
	marks: OutboxMark[];
	parked: string | undefined;
	tools: Extract<LedgerLine, { what: "tool" }>[];
	sends: Send[];
}

/** What a run leaves of one call in which all went well: a turn for each message, one reminder a turn later. */
function wellDone(planned: PlannedCall): Call {
	const address = addressKey(planned);
	const call: Call = {
		planned,
		address,
		history: [],
		state: { noted: [], tallied: [], reminded: [], sum: 0 },
		marks: [],
		parked: undefined,
		tools: [],
		sends: [],
	};
	let turn = 0;
	const says = (part: number, text: string) => {
		const id = `${planned.chat}.${turn}.${part}`;
		call.history.push({ role: "said", id, part: { kind: "text", text }, by: "model", at: 0 });
		call.sends.push({ what: "send", address, key: `${id}.0`, text, answer: "sent", arrived: true, by: "one" });
	};
	for (const { n, id } of planned.messages) {
		turn += 1;
		const args = JSON.stringify({ n });
		const names = isTallied(n) ? (["note", "tally"] as const) : (["note"] as const);
		const calls = names.map((name) => ({ id: `${name}-${n}`, name, arguments: args }));
		call.history.push({ role: "user", id, content: { kind: "text", text: wordsOf(address, n) }, at: 0 });
		call.history.push({ role: "asked", calls, at: 0 });
		for (const name of names) {
			call.history.push({ role: "result", call: `${name}-${n}`, name, content: "1", at: 0 });
			call.tools.push({ what: "tool", tool: name, address, n, key: `${planned.chat}.${turn}.${name}`, by: "one" });
		}
		call.state.noted.push(n);
		if (isTallied(n)) {
			call.state.tallied.push(n);
			call.state.sum += n;
			says(1, `tally ${n}`);
		}
		says(2, replyTo(n));
		if (!isReminded(n)) continue;
		turn += 1;
		call.state.reminded.push(n);
		says(1, `reminder ${n}`);
	}
	return call;
}

/** A run in which all went well but for what `spoil` does, and what the check makes of it. */
async function checked(spoil: (calls: Call[], all: { news: Map<string, number>; left: string[] }) => void) {
	const plan = makePlan(chaosOptions({ messages: 60, calls: 4, kills: 0, redisRestarts: 0, seed: 3 }));
	const calls = plan.calls.map(wellDone);
	const news = new Map(plan.calls.flatMap(({ messages }) => messages.map(({ id }) => [id, 1] as const)));
	const left: string[] = [];
	spoil(calls, { news, left });
	const views = new Map(calls.map((call) => [call.address, viewOf(call)]));
	const backend = {
		list: async () => [...views.keys()],
		view: async (address: string) => views.get(address),
	} as unknown as Backend;
	return check({ plan, backend, left, news, lines: calls.flatMap(({ tools, sends }) => [...tools, ...sends]) });
}

function viewOf({ planned, address, history, state, marks, parked }: Call): AddressView {
	const record = {
		v: 1,
		id: planned.chat,
		agent: "clerk",
		contact: { id: address },
		startedAt: 0,
		turns: planned.messages.length,
		rows: history.length,
		state: { ...state },
		owner: "agent",
		epoch: 0,
	} as const;
	return { address, record, history, waiting: [], outbox: [], marks, timers: [], failures: 0, parked };
}

const first = (calls: readonly Call[]) => calls[0] as Call;
const isUser = (row: HistoryEntry) => row.role === "user";

/** Puts the second thing of a kind before the first. */
function swap<T>(list: T[], kind: (item: T) => boolean): void {
	const [a = 0, b = 0] = list.flatMap((item, index) => (kind(item) ? [index] : []));
	[list[a], list[b]] = [list[b] as T, list[a] as T];
}

function drop<T>(list: T[], kind: (item: T) => boolean): T {
	return list.splice(list.findIndex(kind), 1)[0] as T;
}

/** The row of a reply is left with a mark. */
function mark({ marks, history }: Call, text: string, status: OutboxMark["status"]): void {
	const said = history.find((row) => row.role === "said" && row.part.kind === "text" && row.part.text === text) as Said;
	const row = { id: `${said.id}.0`, payload: { text }, by: "model", epoch: 0, turn: "t" } as const;
	marks.push({ row, status, reason: "reset", at: 0 });
}

type Sort = Exclude<keyof Counts, "unknownTools" | "unknownSends">;

const spoilt: [what: string, sort: Sort, spoil: Parameters<typeof checked>[0]][] = [
	["a message is not in the history", "lost", (calls) => drop(first(calls).history, isUser)],
	["a message is in the history twice", "twice", (calls) => first(calls).history.push(first(calls).history[0]!)],
	["two messages are in the other order", "outOfOrder", (calls) => swap(first(calls).history, isUser)],
	["a message was called new twice", "twice", (_, { news }) => news.set("chat0.1", 2)],
	["a whole call is gone", "lost", (calls) => calls.shift()],
	["a tool ran twice", "twice", (calls) => first(calls).tools.push(first(calls).tools[0]!)],
	["a finished tool is not in the ledger", "lost", (calls) => first(calls).tools.shift()],
	[
		"what may be repeated was repeated under another key",
		"twice",
		(calls) => {
			const { tools } = first(calls);
			tools.push({ ...tools.find(({ tool }) => tool === "tally")!, key: "another" });
		},
	],
	["the state forgot what the ledger has", "lost", (calls) => first(calls).state.noted.pop()],
	["the state has something twice", "twice", (calls) => first(calls).state.noted.unshift(1)],
	["the sum is another", "other", (calls) => (first(calls).state.sum += 1)],
	["a reply never came", "lost", (calls) => drop(first(calls).sends, ({ text }) => text === replyTo(2))],
	["a reply came twice", "twice", (calls) => first(calls).sends.push(first(calls).sends[0]!)],
	["two replies came in the other order", "outOfOrder", (calls) => swap(first(calls).sends, () => true)],
	[
		"nobody answered",
		"lost",
		(calls) => {
			const { history, sends } = first(calls);
			drop(history, (row) => row.role === "said" && row.part.kind === "text" && row.part.text === replyTo(2));
			drop(sends, ({ text }) => text === replyTo(2));
		},
	],
	["a reminder is forgotten", "lost", (calls) => first(calls).state.reminded.pop()],
	["a send failed for good", "lost", (calls) => mark(first(calls), replyTo(2), "failed")],
	[
		"a reply with a mark came twice",
		"twice",
		(calls) => {
			mark(first(calls), replyTo(2), "ambiguous");
			first(calls).sends.push(first(calls).sends.find(({ text }) => text === replyTo(2))!);
		},
	],
	["a door that can look sends up left a mark", "other", (calls) => mark(calls[1] as Call, replyTo(2), "ambiguous")],
	["a call is parked", "other", (calls) => (first(calls).parked = "it threw")],
	["something is still to do", "other", (_, { left }) => left.push("waiting: leave|chat0")],
];

describe("the check of a chaos run", () => {
	test("finds nothing where nothing is wrong", async () => {
		expect(await checked(() => {})).toEqual({
			counts: { lost: 0, twice: 0, outOfOrder: 0, other: 0, unknownTools: 0, unknownSends: 0 },
			faults: [],
		});
	});

	test("allows a send that nobody knows of, arrived or not, and a tool cut off that says so", async () => {
		const { counts, faults } = await checked((calls) => {
			const [call, , other] = calls as [Call, Call, Call];
			mark(call, replyTo(2), "ambiguous");
			mark(other, replyTo(2), "ambiguous");
			drop(other.sends, ({ text }) => text === replyTo(2));
			const row = call.history.findIndex((each) => each.role === "result" && each.call === "note-4");
			call.history[row] = { role: "result", call: "note-4", name: "note", content: "its effect is unknown", at: 0 };
			drop(call.state.noted, (n) => n === 4);
		});
		expect([counts, faults]).toEqual([
			{ lost: 0, twice: 0, outOfOrder: 0, other: 0, unknownTools: 1, unknownSends: 2 },
			[],
		]);
	});

	test.each(spoilt)("finds it when %s", async (_, sort, spoil) => {
		const { counts, faults } = await checked((...given) => void spoil(...given));
		expect(counts[sort], faults.join("\n")).toBeGreaterThan(0);
		expect(faults.length).toBeGreaterThan(0);
	});
});
