import { type AddressKey, addressKey } from "../../src/call/address.js";
import type { HistoryEntry } from "../../src/call/history.js";
import type { AddressView, Backend } from "../../src/engine/backend.js";
import { assertGlobalProperties } from "../../src/testing/global-properties.js";
import { type ClerkState, isReminded, isTallied } from "./clerk.js";
import { replyTo } from "./clerk-model.js";
import type { LedgerLine } from "./ledger-line.js";
import { everything } from "./left.js";
import type { Plan, PlannedCall } from "./plan.js";

export interface CheckInput {
	plan: Plan;
	backend: Backend;
	/** What was still to do when nothing happened any more. */
	left: readonly string[];
	/** How often each message was called new. */
	news: ReadonlyMap<string, number>;
	lines: readonly LedgerLine[];
}

/** Sorts of faults, each counted. */
export interface Counts {
	/** Messages never handled, replies neither seen nor marked, deeds of tools that are nowhere. */
	lost: number;
	/** Messages handled twice, tools run twice, replies seen twice. */
	twice: number;
	outOfOrder: number;
	/** Whatever else must not be. */
	other: number;
	/** No faults: tools whose outcome the history calls unknown. */
	unknownTools: number;
	/** No faults: sends left with the mark `ambiguous`. */
	unknownSends: number;
}

export interface Checked {
	counts: Counts;
	/** Every fault in words. */
	faults: readonly string[];
}

type Sort = "lost" | "twice" | "outOfOrder" | "other";

class Findings {
	readonly counts: Counts = { lost: 0, twice: 0, outOfOrder: 0, other: 0, unknownTools: 0, unknownSends: 0 };
	readonly faults: string[] = [];

	add(sort: Sort, address: AddressKey, what: string): void {
		this.counts[sort] += 1;
		this.faults.push(`${address}: ${sort === "outOfOrder" ? "out of order" : sort}: ${what}`);
	}

	/** Compares what must have happened in order with what has. */
	sequence(
		address: AddressKey,
		name: string,
		expected: readonly (string | number)[],
		found: readonly (string | number)[],
	) {
		const seen = new Set(found);
		for (const each of expected) if (!seen.has(each)) this.add("lost", address, `${name} ${each}`);
		for (const each of repeated(found)) this.add("twice", address, `${name} ${each}`);
		const place = new Map(expected.map((each, index) => [each, index]));
		let last = -1;
		for (const each of found) {
			const at = place.get(each);
			if (at === undefined) this.add("other", address, `${name} ${each} was never asked for`);
			else if (at < last) this.add("outOfOrder", address, `${name} ${each}`);
			last = Math.max(last, at ?? last);
		}
	}
}

/** Compares plan, store and ledger. */
export async function check(input: CheckInput): Promise<Checked> {
	const { plan, backend, left, news, lines } = input;
	const findings = new Findings();
	for (const each of left) findings.add("other", "the store", `still to do: ${each}`);
	for (const [id, times] of news) if (times > 1) findings.add("twice", id, `was called new ${times} times`);
	const views = new Map((await everything(backend, 1_000_000)).map((view) => [view.address, view]));
	const marked = new Set([...views.values()].flatMap(({ marks }) => marks.map(({ row }) => row.id)));
	const byAddress = grouped(lines, ({ address }) => address);
	const accepted = new Map<AddressKey, readonly string[]>();
	for (const call of plan.calls) {
		const address = addressKey(call);
		const view = views.get(address);
		accepted.set(
			address,
			call.messages.map(({ id }) => id),
		);
		if (view === undefined) findings.add("lost", address, "the whole call");
		else checkCall(findings, call, view, byAddress.get(address) ?? []);
		views.delete(address);
	}
	for (const address of views.keys()) findings.add("other", address, "nobody wrote from here");
	await globally(findings, backend, accepted, lines, marked);
	return { counts: findings.counts, faults: findings.faults };
}

function checkCall(findings: Findings, call: PlannedCall, view: AddressView, lines: readonly LedgerLine[]): void {
	const { address, history, record } = view;
	const numbers = call.messages.map(({ n }) => n);
	const users = history.flatMap((row) => (row.role === "user" ? [row.id] : []));
	findings.sequence(
		address,
		"message",
		call.messages.map(({ id }) => id),
		users,
	);
	if (view.parked !== undefined) findings.add("other", address, `it is parked: ${view.parked}`);
	const unknown = unknownNotes(history);
	findings.counts.unknownTools += unknown.length;
	const state = record?.state as unknown as ClerkState | undefined;
	if (state === undefined) {
		findings.add("lost", address, "the state");
		return;
	}
	const done = numbers.filter((n) => !unknown.includes(n));
	findings.sequence(address, "note in the state", done, state.noted);
	findings.sequence(address, "tally in the state", numbers.filter(isTallied), state.tallied);
	findings.sequence(
		address,
		"reminder in the state",
		done.filter(isReminded).sort((a, b) => state.reminded.indexOf(a) - state.reminded.indexOf(b)),
		state.reminded,
	);
	const sum = state.tallied.reduce((all, n) => all + n, 0);
	if (state.sum !== sum) findings.add("other", address, `the sum is ${state.sum}, not ${sum}`);
	checkTools(findings, address, { numbers, done, unknown }, lines);
	checkReplies(findings, view, numbers, done, lines);
	if (call.door === "lookup" && view.marks.length > 0)
		findings.add("other", address, `${view.marks.length} sends are marked, though the platform can be asked`);
}

/** Numbers whose note was running when its process ended, so that nobody knows whether it was done. */
function unknownNotes(history: readonly HistoryEntry[]): readonly number[] {
	const asked = new Map<string, number>();
	return history.flatMap((row) => {
		if (row.role === "asked") for (const { id, arguments: args } of row.calls) asked.set(id, JSON.parse(args).n);
		const unknown = row.role === "result" && row.name === "note" && /unknown/.test(row.content);
		return unknown ? [asked.get(row.call) ?? 0] : [];
	});
}

function checkTools(
	findings: Findings,
	address: AddressKey,
	{ numbers, done, unknown }: { numbers: readonly number[]; done: readonly number[]; unknown: readonly number[] },
	lines: readonly LedgerLine[],
): void {
	const runs = lines.filter((line) => line.what === "tool");
	const notes = runs.filter(({ tool }) => tool === "note").map(({ n }) => n);
	for (const n of repeated(notes)) findings.add("twice", address, `note ${n} in the ledger`);
	for (const n of done) if (!notes.includes(n)) findings.add("lost", address, `note ${n} in the ledger`);
	for (const n of notes)
		if (!done.includes(n) && !unknown.includes(n)) findings.add("other", address, `note ${n} is not in the state`);
	const tallies = grouped(
		runs.filter(({ tool }) => tool === "tally"),
		({ n }) => n,
	);
	for (const [n, all] of tallies)
		if (new Set(all.map(({ key }) => key)).size > 1) findings.add("twice", address, `tally ${n}, under two keys`);
	for (const n of numbers.filter(isTallied))
		if (!tallies.has(n)) findings.add("lost", address, `tally ${n} in the ledger`);
}

function checkReplies(
	findings: Findings,
	{ address, history, marks }: AddressView,
	numbers: readonly number[],
	done: readonly number[],
	lines: readonly LedgerLine[],
): void {
	const said = history.flatMap((row) =>
		row.role === "said" && row.part.kind === "text" ? row.part.text.split("\n\n") : [],
	);
	const textsOf = (kind: string) => said.filter((text) => text.startsWith(`${kind} `));
	findings.sequence(address, "reply", numbers.map(replyTo), textsOf("re"));
	findings.sequence(
		address,
		"reply",
		numbers.filter(isTallied).map((n) => `tally ${n}`),
		textsOf("tally"),
	);
	const reminders = done.filter(isReminded).map((n) => `reminder ${n}`);
	findings.sequence(address, "reply", reminders.sort(), [...textsOf("reminder")].sort());
	const others = said.filter((text) => !/^(re|tally|reminder) \d+$/.test(text));
	for (const text of others) findings.add("other", address, `it said "${text}"`);

	const marked = new Map(marks.map(({ row, status }) => [(row.payload as { text: string }).text, status]));
	for (const [text, status] of marked)
		if (status !== "ambiguous") findings.add("lost", address, `"${text}" is marked ${status}`);
	findings.counts.unknownSends += marked.size;
	const seen = lines.flatMap((line) => (line.what === "send" && line.arrived ? [line.text] : []));
	for (const text of new Set(repeated(seen.filter((text) => marked.has(text)))))
		findings.add("twice", address, `the person's "${text}", which is marked`);
	findings.sequence(
		address,
		"the person's",
		said.filter((text) => !marked.has(text)),
		seen.filter((text) => !marked.has(text)),
	);
}

async function globally(
	findings: Findings,
	backend: Backend,
	accepted: ReadonlyMap<AddressKey, readonly string[]>,
	lines: readonly LedgerLine[],
	marked: ReadonlySet<string>,
): Promise<void> {
	const delivered = lines.flatMap((line) =>
		line.what === "send" && line.arrived && !marked.has(line.key) ? [line] : [],
	);
	try {
		await assertGlobalProperties(backend, { accepted, delivered });
	} catch (error) {
		const all = (error as Error).message.split("\n- ").slice(1);
		for (const each of all) findings.add("other", "global properties", each);
	}
}

function repeated<T>(items: readonly T[]): readonly T[] {
	return items.filter((item, index) => items.indexOf(item) !== index);
}

function grouped<K, T>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
	const groups = new Map<K, T[]>();
	for (const item of items) {
		const group = groups.get(keyOf(item));
		if (group === undefined) groups.set(keyOf(item), [item]);
		else group.push(item);
	}
	return groups;
}
