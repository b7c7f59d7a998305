import type { AddressKey } from "../../src/call/address.js";
import type { AddressView, Backend } from "../../src/engine/backend.js";
import type { Fact } from "../../src/engine/facts.js";
import type { FakeChannel } from "../../src/testing/fake-channel.js";

interface Arrival {
	id: string;
	/** Whoever opens a conversation says nothing, and leaves no row. */
	silent: boolean;
	outcome: string | undefined;
}

/** What came in by the channels of a test, so that each message can be accounted for in the end. */
export class Arrivals {
	readonly #of = new Map<AddressKey, Arrival[]>();
	/** Addresses at which two messages were under way at once: nobody can say which was first. */
	readonly #unordered = new Set<AddressKey>();

	watch(channel: FakeChannel): void {
		const receive = channel.receive.bind(channel);
		channel.receive = async (inbound) => {
			if (inbound.type !== "message") return receive(inbound);
			const { address, id, content } = inbound;
			const known = this.#of.get(address) ?? [];
			this.#of.set(address, known);
			if (known.some(({ outcome }) => outcome === undefined)) this.#unordered.add(address);
			const arrival: Arrival = { id, silent: content.kind === "open", outcome: undefined };
			known.push(arrival);
			try {
				const accepted = await receive(inbound);
				arrival.outcome = accepted.outcome;
				return accepted;
			} catch (error) {
				arrival.outcome = "refused";
				throw error;
			}
		};
	}

	/**
	 * Every message that was accepted is in the history of its call or waits, once and in order of arrival, unless it was
	 * dropped by rule. What a process that was killed was asked to accept may be there or not.
	 *
	 * @throws Error naming every message that is not accounted for
	 */
	async assert(backend: Backend, facts: readonly Fact[]): Promise<void> {
		const problems: string[] = [];
		for (const [address, arrivals] of this.#of) {
			const view = await backend.view(address, { history: 100_000 });
			const isPast = facts.some((fact) => fact.event === "call.ended" && fact.address === address);
			if (isPast || (view.record?.rows ?? 0) > view.history.length) continue;
			const dropped = new Set(
				facts.filter(({ event }) => event === "message.dropped").map(({ data }) => String(data.message)),
			);
			const accepted = arrivals.filter(({ id, outcome }) => outcome === "accepted" && !dropped.has(id));
			const there = idsIn(view);
			for (const { id, silent } of accepted)
				if (!silent && !there.includes(id)) problems.push(`${address}: ${id} was accepted, and is nowhere`);
			if (this.#unordered.has(address)) continue;
			const expected = accepted.map(({ id }) => id).filter((id) => there.includes(id));
			const found = there.filter((id) => expected.includes(id));
			if (found.join() !== expected.join())
				problems.push(`${address}: ${expected.join(", ")} arrived, ${found.join(", ")} was handled`);
		}
		if (problems.length > 0) throw new Error(`messages are not accounted for:\n- ${problems.join("\n- ")}`);
	}
}

function idsIn({ history, waiting }: AddressView): readonly string[] {
	const handled = history.flatMap((row) => (row.role === "user" ? [row.id] : []));
	return [...handled, ...waiting.flatMap((item) => (item.type === "message" ? [item.id] : []))];
}
