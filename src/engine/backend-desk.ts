import { createHash } from "node:crypto";
import type { AgentDeclaration } from "../agent/declaration.js";
import { type AddressKey, doorOf } from "../call/address.js";
import type { Owner } from "../call/call-record.js";
import type { Json } from "../call/json.js";
import type { Part } from "../call/part.js";
import type { Payload } from "../channel/channel.js";
import type { Clock } from "../clock.js";
import { CallboardError } from "../errors.js";
import { appEvent } from "./app-event.js";
import type { AddressView, Backend, OutboxRow } from "./backend.js";
import type { CallLine, CallState, Desk, Done, OutboxLine } from "./desk.js";
import { lineOf, markedOf, unsentOf } from "./desk-lines.js";
import { defaultLimits } from "./limits.js";
import { type Survey, survey, viewAll } from "./survey.js";

export interface BackendDeskOptions {
	backend: Backend;
	clock: Clock;
	/** The payloads of one part at one door. @throws CallboardError `DOOR_UNKNOWN` */
	render(door: string, part: Part): Promise<readonly Payload[]>;
	/** What the agent of a door declares; undefined where it is not known, and then its turn has to say. */
	events?(door: string): AgentDeclaration["events"] | undefined;
}

const PAGE = 200;
/** A shorter beginning of a call's id could be any. */
const SHORTEST_ID = 4;
/** Of no owner: what is to happen only then never does. */
const NO_EPOCH = -1;

/** The desk over a backend, in a process that has it open. */
export class BackendDesk implements Desk {
	readonly #backend: Backend;
	readonly #clock: Clock;
	readonly #render: BackendDeskOptions["render"];
	readonly #events: BackendDeskOptions["events"];

	constructor({ backend, clock, render, events }: BackendDeskOptions) {
		this.#backend = backend;
		this.#clock = clock;
		this.#render = render;
		this.#events = events;
	}

	async calls(options: { state?: CallState; limit: number; after?: AddressKey }): Promise<readonly CallLine[]> {
		const { state, limit, after } = options;
		const lines: CallLine[] = [];
		const only = state === "parked" ? "parked" : undefined;
		for await (const view of this.#views(only, after)) {
			const line = lineOf(view);
			if (line !== undefined && (state === undefined || line.state === state)) lines.push(line);
			if (lines.length >= limit) break;
		}
		return lines;
	}

	async show({ call, history }: { call: string; history: number }): Promise<AddressView> {
		const { address } = await this.#find(call);
		return this.#backend.view(address, { history });
	}

	async retry({ call }: { call: string }): Promise<Done> {
		const { address, parked } = await this.#find(call);
		if (parked === undefined) return nothing(address, "it is not set aside, so there is nothing to retry");
		await this.#backend.unpark(address);
		return done(address, "it goes on now");
	}

	async close({ call, reason }: { call: string; reason: string }): Promise<Done> {
		const { address, record, parked } = await this.#find(call);
		if (parked !== undefined) {
			throw new CallboardError("CALL_PARKED", "operator", `it is set aside, so nothing can happen in it: ${parked}`, {
				where: address,
				next: `mend the reason, then run \`callboard calls retry ${quoted(call)}\` first`,
			});
		}
		if (record === undefined || record.ended !== undefined) return nothing(address, "it has already ended");
		const id = `close.${record.id}`;
		const occurrence = { kind: "close", reason, call: record.id } as const;
		const limits = { inbox: Number.MAX_SAFE_INTEGER, dedupeMs: defaultLimits.dedupeMs };
		const item = { type: "occurrence", id, address, occurrence, at: this.#clock.now() } as const;
		const { outcome } = await this.#backend.accept(item, limits);
		if (outcome === "duplicate") return nothing(address, "its end was already asked for");
		return done(address, "it ends once what waits before that is handled");
	}

	async reply(options: { call: string; text: string; key: string; take: boolean }): Promise<Done> {
		const { call, text, key, take } = options;
		const { address, record } = await this.#find(call);
		if (text.trim() === "") {
			throw new CallboardError("NOTHING_TO_SAY", "operator", "a reply needs words", {
				next: `write them behind the call: callboard calls reply ${quoted(call)} "Good morning"`,
			});
		}
		const over = record?.ended !== undefined;
		if (over && take) {
			throw new CallboardError("CALL_ENDED", "operator", "this call has ended, so there is nothing to take", {
				where: address,
				next: "leave --take out: the words are sent, and what they answer begins a new call with the agent",
			});
		}
		const owner = record?.owner ?? "agent";
		const id = `human.${hash(`${address} ${key}`).slice(0, 16)}.1`;
		const part = { kind: "text", text } as const;
		const epoch = (record?.epoch ?? 0) + (owner === "agent" && !over ? 1 : 0);
		const turn = id.slice(0, -".1".length);
		const payloads = await this.#render(doorOf(address), part);
		const say = payloads.map((payload, index): OutboxRow => {
			return { id: `${id}.${index}`, payload, by: "human", epoch, turn };
		});
		const append = [{ role: "said", id, part, by: "human", at: this.#clock.now() }] as const;
		const held = take ? {} : { epoch: owner === "human" || over ? epoch : NO_EPOCH };
		const takes = over ? {} : { owner: "human" as const };
		switch (await this.#backend.amend(address, { ...held, ...takes, say, append })) {
			case "made":
				if (over) return done(address, "it is on its way; the call has ended, and the agent has the next one");
				if (owner === "agent") this.#tell(address, "human");
				return done(address, owner === "agent" ? "you have the call now, and it is on its way" : "it is on its way");
			case "repeated":
				await this.#sameWords(address, id, text);
				return nothing(address, "it was said before under this key");
			case "late":
				if (owner === "human" || over) return this.reply(options);
				throw new CallboardError("AGENT_HAS_CALL", "operator", "the agent has this call, not a human", {
					where: address,
					next: "take it with --take; give it back with `callboard calls release`",
				});
		}
	}

	/** Whoever is looking at the chat sees who answers now. */
	#tell(address: AddressKey, owner: Owner): void {
		this.#backend.publish?.({ from: "desk", address, news: "shown", event: { kind: "owner", owner } });
	}

	/** @throws CallboardError `KEY_REUSED` when the reply of that id is known to have had other words */
	async #sameWords(address: AddressKey, id: string, text: string): Promise<void> {
		const { history } = await this.#backend.view(address, { history: defaultLimits.keep });
		const before = history.find((row) => row.role === "said" && row.id === id);
		if (before?.role === "said" && before.part.kind === "text" && before.part.text !== text)
			throw keyReused(address, "reply");
	}

	async release({ call, note }: { call: string; note?: string }): Promise<Done> {
		const { address, record } = await this.#find(call);
		if (record?.ended !== undefined) return nothing(address, "it has ended: the agent has the next one");
		if (record === undefined || record.owner === "agent") return nothing(address, "the agent has it already");
		const said = note === undefined ? "." : `, who notes: ${JSON.stringify(note)}`;
		const text = `The call was given back to you by a person of the business${said}`;
		const append = [{ role: "note", text, at: this.#clock.now() }] as const;
		const outcome = await this.#backend.amend(address, { epoch: record.epoch, owner: "agent", append });
		if (outcome !== "made") return nothing(address, "somebody else gave it back or took it just now");
		this.#tell(address, "agent");
		return done(address, "the agent has it again, and answers the next message");
	}

	async event({ call, name, data, key }: { call: string; name: string; data: Json; key: string }): Promise<Done> {
		const { address, parked } = await this.#find(call);
		const door = doorOf(address);
		const occurrence = appEvent(name, data, { door, declared: this.#events?.(door) });
		const at = this.#clock.now();
		const id = `app.${hash(key)}`;
		const words = `${id}.${hash(JSON.stringify([name, occurrence.data]))}`;
		if (await this.#seen(address, id)) {
			if (await this.#seen(address, words)) return nothing(address, "it came in before under this key");
			throw keyReused(address, "event");
		}
		const item = { type: "occurrence", id, keys: [words], address, occurrence, at } as const;
		const { outcome } = await this.#backend.accept(item, defaultLimits);
		if (outcome === "full") {
			throw new CallboardError("INBOX_FULL", "operator", `${defaultLimits.inbox} things wait in this call already`, {
				where: address,
				next: "send it again later, under the same key",
			});
		}
		if (outcome === "duplicate") return nothing(address, "it came in before under this key");
		return done(address, parked === undefined ? "the agent is told" : "it waits, for the call is set aside");
	}

	/** An inbox without any room takes nothing, and still says what it knows. */
	async #seen(address: AddressKey, id: string): Promise<boolean> {
		const occurrence = { kind: "event", name: "", data: null, source: "app" } as const;
		const item = { type: "occurrence", id, address, occurrence, at: this.#clock.now() } as const;
		return (await this.#backend.accept(item, { ...defaultLimits, inbox: 0 })).outcome === "duplicate";
	}

	async outbox({ limit }: { limit: number }): Promise<readonly OutboxLine[]> {
		const lines: OutboxLine[] = [];
		for await (const view of this.#views("outbox")) {
			lines.push(...unsentOf(view));
			if (lines.length >= limit) return lines.slice(0, limit);
		}
		for await (const view of this.#views("marked")) {
			lines.push(...markedOf(view));
			if (lines.length >= limit) break;
		}
		return lines.slice(0, limit);
	}

	async resend({ row }: { row: string }): Promise<Done & { as: string }> {
		const as = nextAttempt(row);
		for await (const { address, outbox } of this.#views("outbox")) {
			if (outbox.some((each) => each.row.id === as))
				return { ...nothing(address, `it is on its way again already, as ${as}`), as };
		}
		for await (const { address, marks, outbox } of this.#views("marked")) {
			const mark = marks.find((each) => each.row.id === row);
			if (mark === undefined) continue;
			if (mark.status === "discarded") {
				throw new CallboardError("ROW_WITHHELD", "operator", `${row} was withheld: ${mark.reason}`, {
					where: address,
					next: "say it yourself with `callboard calls reply`",
				});
			}
			const risk = mark.status === "ambiguous" ? "; it may have arrived the first time" : "";
			if (await this.#backend.resend(address, row, as))
				return { ...done(address, `it goes out again as ${as}, behind ${outbox.length} others${risk}`), as };
		}
		throw new CallboardError("UNKNOWN_ROW", "operator", `no row ${row} failed or is unknown`, {
			next: "`callboard outbox list` shows those that can be sent again",
		});
	}

	survey(): Promise<Survey> {
		return survey(this.#backend, this.#clock.now());
	}

	async *#views(only?: "parked" | "outbox" | "marked", start?: AddressKey): AsyncGenerator<AddressView> {
		for (let after = start; ; ) {
			const page = await this.#backend.list({
				limit: PAGE,
				...(only && { only }),
				...(after === undefined ? {} : { after }),
			});
			yield* await viewAll(this.#backend, page);
			after = page.at(-1);
			if (page.length < PAGE) return;
		}
	}

	/** An address is looked up; a call's id is searched for among all, since no backend keeps them in order. */
	async #find(name: string): Promise<AddressView> {
		if (name.includes("|")) {
			const view = await this.#backend.view(name, { history: 0 });
			if (lineOf(view) !== undefined) return view;
			throw unknown(name);
		}
		if (name.length < SHORTEST_ID) throw unknown(name);
		const found: AddressView[] = [];
		for await (const view of this.#views()) {
			if (view.record?.id === name) return view;
			if (view.record?.id.startsWith(name)) found.push(view);
		}
		const [only, second] = found;
		if (only === undefined) throw unknown(name);
		if (second === undefined) return only;
		throw new CallboardError("WHICH_CALL", "operator", `${found.length} calls begin with ${name}`, {
			next: "write more of its id",
		});
	}
}

/** `c.1.1.0` is `c.1.1.0~2` the second time, then `c.1.1.0~3`: a platform that knows the old id sees a new one. */
function nextAttempt(row: string): string {
	const [, first = row, attempt = "1"] = /^(.*)~(\d+)$/.exec(row) ?? [];
	return `${first}~${Number(attempt) + 1}`;
}

const done = (address: AddressKey, says: string): Done => ({ done: true, address, says });
const nothing = (address: AddressKey, says: string): Done => ({ done: false, address, says });

const hash = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 32);

function keyReused(address: AddressKey, what: "event" | "reply"): CallboardError {
	return new CallboardError("KEY_REUSED", "operator", `this key was used for another ${what}`, {
		where: address,
		next: `give every ${what} a key of its own, and the same one only to the same ${what}`,
	});
}

/** As a shell takes it. */
function quoted(name: string): string {
	return /^[\w.-]+$/.test(name) ? name : `'${name}'`;
}

function unknown(name: string): CallboardError {
	return new CallboardError("UNKNOWN_CALL", "operator", `there is no call ${name}`, {
		next: "`callboard calls list` shows them; name one by its id or, in quotes, its address",
	});
}
