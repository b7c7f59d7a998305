import type { AddressKey } from "../call/address.js";
import type { InboxItem } from "../call/message.js";
import type { Backend } from "./backend.js";

/** How much is stored and not done yet, over all processes. */
export interface Survey {
	/** Addresses with something unhandled, those set aside not among them. */
	waiting: number;
	/** Addresses with something unsent. */
	outbox: number;
	/** Addresses set aside. */
	parked: number;
	/** Addresses with rows that left the outbox otherwise than sent. */
	marked: number;
	/** Unhandled items, unsent rows. At least so many, when `complete` is false. */
	items: number;
	rows: number;
	/** How long the oldest unhandled item has waited, and where; 0 when there is none. */
	oldestWaitMs: number;
	oldest?: AddressKey;
	/** Whether every address with work was looked into. */
	complete: boolean;
}

const PAGE = 1_000;
/** Addresses looked into; what lies beyond is only counted. */
const LOOKED_INTO = 1_000;
const BESIDE = 50;

/** Counts what waits. It reads a page of addresses for each thousand, and looks into the first thousand of each kind. */
export async function survey(backend: Backend, now: number): Promise<Survey> {
	const [waiting, outbox, parked, marked] = await Promise.all([
		count(backend, "waiting"),
		count(backend, "outbox"),
		count(backend, "parked"),
		count(backend, "marked"),
	]);
	let items = 0;
	let rows = 0;
	let oldest: { since: number; address: AddressKey } | undefined;
	const first = new Set([...waiting.first, ...outbox.first]);
	for (const view of await viewAll(backend, [...first])) {
		items += view.parked === undefined ? view.waiting.length : 0;
		rows += view.outbox.length;
		const [head] = view.waiting;
		const since = head === undefined || view.parked !== undefined ? now : cameAt(head);
		if (since < (oldest?.since ?? now)) oldest = { since, address: view.address };
	}
	return {
		waiting: waiting.count,
		outbox: outbox.count,
		parked: parked.count,
		marked: marked.count,
		items,
		rows,
		oldestWaitMs: oldest === undefined ? 0 : now - oldest.since,
		...(oldest && { oldest: oldest.address }),
		complete: waiting.count <= LOOKED_INTO && outbox.count <= LOOKED_INTO,
	};
}

/** The views of many addresses, a few at a time. */
export async function viewAll(backend: Backend, addresses: readonly AddressKey[], history = 0) {
	const views = [];
	for (let from = 0; from < addresses.length; from += BESIDE) {
		const some = addresses.slice(from, from + BESIDE).map((address) => backend.view(address, { history }));
		views.push(...(await Promise.all(some)));
	}
	return views;
}

async function count(backend: Backend, only: "waiting" | "outbox" | "parked" | "marked") {
	const first: AddressKey[] = [];
	let counted = 0;
	for (let after: AddressKey | undefined; ; ) {
		const page = await backend.list({ limit: PAGE, only, ...(after === undefined ? {} : { after }) });
		counted += page.length;
		if (first.length < LOOKED_INTO) first.push(...page.slice(0, LOOKED_INTO - first.length));
		after = page.at(-1);
		if (page.length < PAGE) return { count: counted, first };
	}
}

/** Of a message, when it came in; of anything else, when it happened. */
function cameAt(item: InboxItem): number {
	return item.type === "message" ? (item.acceptedAt ?? item.sentAt) : item.at;
}
