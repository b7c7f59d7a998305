import type { AddressKey } from "../call/address.js";
import type { HistoryEntry } from "../call/history.js";
import type { AddressView, Backend } from "../engine/backend.js";

export interface Scenario {
	/** Ids of the messages accepted at each address, in order of arrival, of its present call. */
	accepted?: ReadonlyMap<AddressKey, readonly string[]>;
	/** What people got, in order: `FakeChannel.delivered`. */
	delivered?: readonly { address: AddressKey; key: string }[];
	/** Everything printed or asked: log lines, prompts. Searched for secrets. */
	texts?: readonly string[];
}

const ALL_ROWS = 100_000;
const PAGE = 500;
const SECRET = /\bsk-[A-Za-z0-9_-]{8,}|\bxox[abp]-|\bBearer [A-Za-z0-9._-]{8,}|\b\d{8,10}:[A-Za-z0-9_-]{35}\b/;

/**
 * What must hold after every scenario, whatever was done to the engine: nothing waits, nothing is left unsent, nothing
 * failed without a reason, every message was handled once and in order, nobody got anything twice, every answer was
 * delivered or is marked, histories are valid for a model, and no secret shows anywhere.
 *
 * @throws Error naming every property that does not hold
 */
export async function assertGlobalProperties(backend: Backend, scenario: Scenario = {}): Promise<void> {
	const broken: string[] = [];
	for (const view of await views(backend)) {
		for (const problem of [...restless(view), ...disordered(view, scenario), ...unsaid(view, scenario)])
			broken.push(`${view.address}: ${problem}`);
		if (SECRET.test(JSON.stringify(view))) broken.push(`${view.address}: a secret is stored`);
	}
	broken.push(...repeated(scenario.delivered ?? []));
	for (const text of scenario.texts ?? []) if (SECRET.test(text)) broken.push("a secret was printed");
	if (broken.length > 0) throw new Error(`global properties do not hold:\n- ${broken.join("\n- ")}`);
}

async function views(backend: Backend): Promise<readonly AddressView[]> {
	const found: AddressView[] = [];
	for (let after: AddressKey | undefined; ; ) {
		const page = await backend.list({ limit: PAGE, ...(after === undefined ? {} : { after }) });
		for (const address of page) found.push(await backend.view(address, { history: ALL_ROWS }));
		after = page.at(-1);
		if (page.length < PAGE) return found;
	}
}

function restless({ waiting, outbox, parked, failures, marks }: AddressView): string[] {
	const problems: string[] = [];
	if (parked === undefined && waiting.length > 0) problems.push(`${waiting.length} items wait`);
	if (parked === undefined && failures > 0) problems.push(`${failures} failed turns are not made good`);
	if (parked === "") problems.push("it is parked without a reason");
	if (outbox.length > 0) problems.push(`${outbox.length} rows are not sent`);
	for (const { row, status, reason } of marks)
		if (reason === "") problems.push(`${row.id} is ${status} without a reason`);
	return problems;
}

function disordered({ address, history, waiting }: AddressView, { accepted }: Scenario): string[] {
	const problems = calls(history);
	const handled = history.flatMap((row) => (row.role === "user" ? [row.id] : []));
	const twice = handled.filter((id, index) => handled.indexOf(id) !== index);
	if (twice.length > 0) problems.push(`handled twice: ${twice.join(", ")}`);
	const expected = accepted?.get(address);
	if (expected === undefined) return problems;
	const left = waiting.flatMap((item) => (item.type === "message" ? [item.id] : []));
	const now = [...handled, ...left].join(", ");
	if (now !== expected.join(", ")) problems.push(`accepted ${expected.join(", ")}, but handled or waiting ${now}`);
	return problems;
}

/** Every call that was asked for has one result before anything else is asked. */
function calls(history: readonly HistoryEntry[]): string[] {
	const open = new Set<string>();
	const problems: string[] = [];
	for (const row of history) {
		if (row.role === "asked") {
			if (open.size > 0) problems.push(`calls without a result: ${[...open].join(", ")}`);
			open.clear();
			for (const { id } of row.calls) open.add(id);
		}
		if (row.role === "result" && !open.delete(row.call)) problems.push(`a result without its call: ${row.call}`);
	}
	if (open.size > 0) problems.push(`calls without a result: ${[...open].join(", ")}`);
	return problems;
}

function unsaid({ address, history, marks }: AddressView, { delivered }: Scenario): string[] {
	if (delivered === undefined) return [];
	const keys = [
		...delivered.filter((each) => each.address === address).map(({ key }) => key),
		...marks.map(({ row }) => row.id),
	];
	const said = history.flatMap((row) => (row.role === "said" && row.part.kind !== "data" ? [row.id] : []));
	const lost = said.filter((id) => !keys.some((key) => key.startsWith(`${id}.`)));
	return lost.length === 0 ? [] : [`neither delivered nor marked: ${lost.join(", ")}`];
}

function repeated(delivered: readonly { address: AddressKey; key: string }[]): string[] {
	const seen = new Set<string>();
	const newest = new Map<string, readonly number[]>();
	const problems: string[] = [];
	for (const { address, key } of delivered) {
		const name = `${address} ${key}`;
		if (seen.has(name)) problems.push(`${address}: delivered twice: ${key}`);
		seen.add(name);
		const order = key.split(".").slice(-3).map(Number);
		const call = `${address} ${key.split(".").slice(0, -3).join(".")}`;
		if (compare(newest.get(call) ?? [], order) > 0) problems.push(`${address}: delivered out of order: ${key}`);
		newest.set(call, order);
	}
	return problems;
}

function compare(a: readonly number[], b: readonly number[]): number {
	for (const [index, value] of a.entries()) if (value !== b[index]) return value - (b[index] ?? 0);
	return 0;
}
