import type { AddressKey } from "../../src/call/address.js";
import type { LiveEvent } from "../../src/channel/channel.js";
import type { Clock } from "../../src/clock.js";
import type { Entry, ServerFrame } from "./protocol.js";

/** Why a connection is closed by us. */
export type CloseReason = "going_away" | "session" | "replaced" | "unavailable" | "bad";

/** The writing end of one connection. */
export interface Sink {
	send(frame: ServerFrame): void;
	close(reason: CloseReason): void;
}

/** What an address looks like right now, beside its transcript. */
export interface Passing {
	typing: boolean;
	draft?: { turn: string; text: string };
}

interface Member {
	sink: Sink;
	/** Frames that came while the history was read; undefined once it was sent. */
	held: ServerFrame[] | undefined;
}

interface Room {
	members: Set<Member>;
	typing: boolean;
	draft: { turn: string; text: string } | undefined;
	/** The newest draft has not been sent on yet. */
	draftDue: boolean;
	cancelDraft: (() => void) | undefined;
	cancelQuiet: (() => void) | undefined;
}

const DRAFT_EVERY_MS = 50;
const QUIET_AFTER_MS = 30_000;

/** Who is connected, by address. It keeps no conversation: only who listens, and a draft in the making. */
export class Hub {
	readonly #rooms = new Map<AddressKey, Room>();
	readonly #clock: Clock;
	readonly #perAddress: number;

	/** @param perAddress connections one address may hold; the oldest goes for a further one */
	constructor(clock: Clock, perAddress: number) {
		this.#clock = clock;
		this.#perAddress = perAddress;
	}

	/**
	 * Adds a connection. What happens from now on is held until `begin` is called with the history, so that nothing falls
	 * between the two.
	 */
	join(address: AddressKey, sink: Sink): { begin(history: ServerFrame): void; leave(): void } {
		const room = this.#room(address);
		const member: Member = { sink, held: [] };
		const [oldest] = room.members;
		if (oldest !== undefined && room.members.size >= this.#perAddress) {
			room.members.delete(oldest);
			oldest.sink.close("replaced");
		}
		room.members.add(member);
		return {
			begin: (history) => {
				sink.send(history);
				for (const frame of member.held ?? []) sink.send(frame);
				member.held = undefined;
			},
			leave: () => {
				room.members.delete(member);
				this.#tidy(address, room);
			},
		};
	}

	passing(address: AddressKey): Passing {
		const room = this.#rooms.get(address);
		return { typing: room?.typing ?? false, ...(room?.draft === undefined ? {} : { draft: room.draft }) };
	}

	/** A line the visitor wrote on one of their tabs. */
	heard(address: AddressKey, entry: Entry): void {
		this.#toAll(address, { type: "message", entry });
	}

	/** A part that is said. It ends the draft it came from. */
	said(address: AddressKey, entry: Entry): void {
		const room = this.#rooms.get(address);
		const draft = room?.draft;
		const ends = draft !== undefined && endsDraft(draft, entry) ? draft.turn : undefined;
		if (room !== undefined && ends !== undefined) clearDraft(room);
		this.#toAll(address, { type: "part", entry, ...(ends === undefined ? {} : { ends }) });
		if (room !== undefined) this.#tidy(address, room);
	}

	show(address: AddressKey, event: LiveEvent): void {
		const room = this.#room(address);
		switch (event.kind) {
			case "typing":
				if (room.typing !== event.on) this.#toReady(room, { type: "typing", on: event.on });
				room.typing = event.on;
				break;
			case "draft":
				room.draft = { turn: event.turn, text: event.text };
				room.draftDue = true;
				if (room.cancelDraft === undefined) this.#sendDraft(room);
				break;
			case "withdrawn":
				if (room.draft?.turn === event.turn) clearDraft(room);
				this.#toReady(room, { type: "withdrawn", turn: event.turn });
				break;
			case "owner":
				this.#toAll(address, { type: "owner", owner: event.owner });
				break;
		}
		this.#watchQuiet(address, room);
		this.#tidy(address, room);
	}

	ended(address: AddressKey, reason: string): void {
		const room = this.#rooms.get(address);
		if (room === undefined) return;
		room.typing = false;
		clearDraft(room);
		this.#toAll(address, { type: "ended", reason });
		this.#tidy(address, room);
	}

	/** Says goodbye to every connection. */
	closeAll(reason: CloseReason): void {
		for (const room of this.#rooms.values()) {
			for (const { sink } of room.members) sink.close(reason);
			room.members.clear();
			room.cancelDraft?.();
			room.cancelQuiet?.();
		}
		this.#rooms.clear();
	}

	#room(address: AddressKey): Room {
		let room = this.#rooms.get(address);
		if (room === undefined) {
			room = {
				members: new Set(),
				typing: false,
				draft: undefined,
				draftDue: false,
				cancelDraft: undefined,
				cancelQuiet: undefined,
			};
			this.#rooms.set(address, room);
		}
		return room;
	}

	#tidy(address: AddressKey, room: Room): void {
		if (room.members.size > 0 || room.typing || room.draft !== undefined) return;
		room.cancelDraft?.();
		room.cancelQuiet?.();
		if (this.#rooms.get(address) === room) this.#rooms.delete(address);
	}

	#toAll(address: AddressKey, frame: ServerFrame): void {
		for (const member of this.#rooms.get(address)?.members ?? []) {
			if (member.held === undefined) member.sink.send(frame);
			else member.held.push(frame);
		}
	}

	/** For what the history frame tells anyway. */
	#toReady(room: Room, frame: ServerFrame): void {
		for (const member of room.members) if (member.held === undefined) member.sink.send(frame);
	}

	/** Every draft holds the whole text, so a few a second are enough. */
	#sendDraft(room: Room): void {
		room.cancelDraft = undefined;
		if (room.draft === undefined || !room.draftDue) return;
		room.draftDue = false;
		this.#toReady(room, { type: "draft", ...room.draft });
		room.cancelDraft = this.#clock.after(DRAFT_EVERY_MS, () => this.#sendDraft(room));
	}

	/** A worker that died in mid-turn never says that it stopped. */
	#watchQuiet(address: AddressKey, room: Room): void {
		room.cancelQuiet?.();
		room.cancelQuiet = undefined;
		if (!room.typing && room.draft === undefined) return;
		room.cancelQuiet = this.#clock.after(QUIET_AFTER_MS, () => {
			room.cancelQuiet = undefined;
			if (room.typing) this.#toReady(room, { type: "typing", on: false });
			if (room.draft !== undefined) this.#toReady(room, { type: "withdrawn", turn: room.draft.turn });
			room.typing = false;
			clearDraft(room);
			this.#tidy(address, room);
		});
	}
}

function clearDraft(room: Room): void {
	room.draft = undefined;
	room.draftDue = false;
}

/** Parts of a turn are named after it; a part that says what the draft says came from it in any case. */
function endsDraft(draft: { turn: string; text: string }, entry: Entry): boolean {
	if (entry.from !== "agent") return false;
	if (entry.id.startsWith(`${draft.turn}.`)) return true;
	const said = "text" in entry.part ? entry.part.text.trim() : "";
	const drafted = draft.text.trim();
	return said !== "" && (said.startsWith(drafted) || drafted.startsWith(said));
}
