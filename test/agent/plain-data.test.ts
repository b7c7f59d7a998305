import { Agent, tool } from "callboard";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../src/call/json.js";
import { loggedError, open } from "./opening.js";

let step: (agent: Holder) => void = () => {};

class Holder extends Agent {
	slots: unknown[] = [{ at: "10:00" }, { at: "11:00" }, { at: "12:00" }];
	thing: unknown = { name: "a", deep: { list: [1, 2, 3] } };

	@tool({ doc: "Does what the test says.", effect: "idempotent" })
	act() {
		step(this);
	}
}

const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;
class Patient {
	name = "Ana";
}
const any = (value: unknown) => value as Record<string | number, Record<string | number, unknown>>;

describe("what cannot be stored is refused at the write, with its path", () => {
	test.each<[string, (agent: Holder) => void, string]>([
		[
			"a Date",
			(a) => (any(a.slots)[2]!.at = new Date(0)),
			"slots[2].at was given a Date, which cannot be stored; store an ISO string",
		],
		["a Map", (a) => (a.thing = { m: new Map() }), "thing.m was given a Map"],
		["a Set", (a) => (a.thing = [new Set()]), "thing[0] was given a Set"],
		["a class instance", (a) => a.slots.push(new Patient()), "slots[3] was given an instance of Patient"],
		["a function", (a) => (any(a.thing).deep!.f = () => 1), "thing.deep.f was given a function"],
		["NaN", (a) => (any(a.thing).deep!.n = Number.NaN), "thing.deep.n was given NaN"],
		["infinity", (a) => (a.thing = -Infinity), "thing was given -Infinity"],
		["a bigint", (a) => (a.thing = { "full name": 1n }), 'thing["full name"] was given a bigint'],
		["a symbol", (a) => (a.thing = Symbol("x")), "thing was given a symbol"],
		["bytes", (a) => (a.thing = new Uint8Array(1)), "thing was given a Uint8Array"],
		["an error", (a) => (a.thing = new TypeError("x")), "thing was given an error (TypeError)"],
		["a promise", (a) => (a.thing = Promise.resolve()), "thing was given a promise"],
		["a cycle", (a) => (a.thing = cyclic), "thing.self was given a value that holds itself"],
		[
			"a cycle through the state",
			(a) => (any(a.thing).deep!.up = a.thing),
			"thing.deep.up was given a value that holds itself",
		],
		[
			"a cycle through a list",
			(a) => a.slots.push([{ again: a.slots }]),
			"slots[3] was given a value that holds itself",
		],
		["undefined in a list", (a) => (a.slots = [1, undefined]), "slots[1] was given undefined in a list"],
		["undefined put into a list", (a) => (a.slots[1] = undefined), "slots[1] was given undefined"],
		["an empty place", (a) => (a.slots.length = 5), "slots[3] was given undefined in a list"],
		["a deleted item", (a) => delete a.slots[0], "slots[0] was given undefined in a list"],
		["a member of a list", (a) => (any(a.slots).name = {}), "slots was given a member named name"],
		["a symbol member", (a) => (a.thing = { [Symbol("s")]: 1 }), "thing was given a member named by a symbol"],
		["__proto__", (a) => (a.thing = JSON.parse('{"__proto__":1}')), "thing.__proto__ was given a member of that name"],
		["a getter", (a) => Object.defineProperty(a.thing, "x", { get: () => 1 }), "thing was given a getter or setter"],
		["freezing", (a) => Object.freeze(a.slots), "slots was frozen"],
		["a prototype", (a) => Object.setPrototypeOf(a.slots, null), "slots was given a prototype"],
		["no end of nesting", (a) => (a.thing = JSON.parse("[".repeat(200) + "]".repeat(200))), "more than 100 levels"],
	])("%s", async (_name, act, message) => {
		step = act;
		const { use, session, log } = open(Holder);
		const before = session.snapshot();
		expect((await use("act")).status).toBe("failed");
		expect(loggedError(log).code).toBe("NOT_SERIALISABLE");
		expect(loggedError(log).explain()).toContain(message);
		expect(session.snapshot()).toEqual(before);
	});

	test("a path is right also after the list has moved", async () => {
		step = (agent) => {
			const third = any(agent.slots)[2]!;
			agent.slots.shift();
			third.at = new Date(0);
		};
		const { use, log } = open(Holder);
		await use("act");
		expect(loggedError(log).message).toContain("slots[1].at was given a Date");
	});
});

describe("tracked data behaves like plain data", () => {
	test("objects are the same each time, found, copied, spread and stringified", async () => {
		const seen: unknown[] = [];
		step = (agent) => {
			const { slots } = agent;
			seen.push(
				slots === agent.slots,
				slots[0] === agent.slots[0],
				slots.indexOf(agent.slots[1]),
				slots.includes(slots[2]),
			);
			seen.push(Array.isArray(slots), Object.keys(any(slots)[0]!), "at" in any(slots)[0]!, { ...any(slots)[0] });
			seen.push(
				JSON.stringify(slots),
				slots.map((slot) => any(slot).at),
				Object.getOwnPropertyDescriptor(slots, 0)?.value === slots[0],
			);
		};
		expect((await open(Holder).use("act")).changes).toEqual([]);
		expect(seen).toEqual([
			...[true, true, 1, true, true, ["at"], true, { at: "10:00" }],
			...['[{"at":"10:00"},{"at":"11:00"},{"at":"12:00"}]', ["10:00", "11:00", "12:00"], true],
		]);
	});

	test("an item kept in hand stays the item, wherever the list moves it", async () => {
		step = (agent) => {
			const [, second] = agent.slots;
			agent.slots = agent.slots.filter((slot) => (slot as { at: string }).at !== "10:00").reverse();
			any(second).at = "changed" as never;
		};
		expect((await open(Holder).use("act")).changes[0]?.next).toEqual([{ at: "12:00" }, { at: "changed" }]);
	});

	test("a frozen value is taken as a copy that can change", async () => {
		step = (agent) => {
			agent.thing = Object.freeze({ list: Object.freeze([1]) });
			(any(agent.thing).list as unknown as number[]).push(2);
		};
		expect((await open(Holder).use("act")).changes[0]?.next).toEqual({ list: [1, 2] });
	});

	test("a member given undefined is as good as gone", async () => {
		step = (agent) => {
			(agent.thing as { name?: string | undefined }).name = undefined;
		};
		const { use, session } = open(Holder);
		await use("act");
		expect(session.snapshot().thing).toEqual({ deep: { list: [1, 2, 3] } });
	});
});

type Mutation = (root: Record<string, unknown>) => unknown;

/** What can be done to a tree of lists and objects, chosen by numbers so that it applies to whatever is there. */
const mutation: fc.Arbitrary<Mutation> = fc
	.record({
		path: fc.array(fc.nat(4), { maxLength: 4 }),
		other: fc.array(fc.nat(4), { maxLength: 3 }),
		what: fc.nat(15),
		index: fc.nat(4),
		value: fc.oneof(
			fc.integer(),
			fc.string({ maxLength: 3 }),
			fc.constant(null),
			fc.constant([1, { a: 1 }]),
			fc.constant({ k: ["v"] }),
		),
	})
	.map(({ path, other, what, index, value }) => (root) => {
		const target = at(root, path);
		const fresh = typeof value === "object" && value !== null ? structuredClone(value) : value;
		if (!Array.isArray(target)) {
			const object = target as Record<string, unknown>;
			const key = `k${index}`;
			if (what % 4 === 0) delete object[key];
			else if (what % 4 === 1) Object.assign(object, { [key]: fresh, more: index });
			else if (what % 4 === 2) object[key] = at(root, other) === root ? fresh : structuredClone(plain(at(root, other)));
			else object[key] = fresh;
			return Object.keys(object).length;
		}
		const list: unknown[] = target;
		switch (what) {
			case 0:
				return list.push(fresh, index);
			case 1:
				return list.pop() === undefined;
			case 2:
				return list.shift() === undefined;
			case 3:
				return list.unshift(fresh);
			case 4:
				return list.splice(index, 2, fresh).length;
			case 5:
				return list.reverse().length;
			case 6:
				return list.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)).length;
			case 7:
				return list.fill(index, 1, 2).length;
			case 8:
				return list.copyWithin(0, 1).length;
			case 9:
				list.length = Math.min(list.length, index);
				return list.length;
			case 10:
				return list.splice(0, list.length, ...list.slice(1), fresh).length;
			case 11:
				if (list.length > 0) list[index % list.length] = fresh;
				return list.length;
			case 12:
				return list.concat(list).length;
			case 13: {
				const item = list.pop();
				if (item !== undefined) list.unshift(item);
				return list.length;
			}
			case 14:
				return list.indexOf(list.at(-1));
			default:
				return list.flat().length;
		}
	});

function at(root: unknown, path: readonly number[]): unknown {
	let here = root;
	for (const step of path) {
		const inner = Object.values(here as object).filter((value) => typeof value === "object" && value !== null);
		if (inner.length === 0) break;
		here = inner[step % inner.length];
	}
	return here;
}

/** Writes refuse a member of that name, so that none is ever stored. */
const storable = (value: unknown) => !JSON.stringify(value).includes('"__proto__":');
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as Json;

test("any sequence of changes to a field does what it does to a plain object, and is one right change", async () => {
	class Tree extends Agent {
		root: Record<string, unknown> = {};
		@tool({ doc: "Does what the test says.", effect: "idempotent" })
		act() {
			const results = mutations.map((mutate) => mutate(this.root));
			return { results, now: this.root };
		}
	}
	let mutations: readonly Mutation[] = [];
	await fc.assert(
		fc.asyncProperty(
			fc.dictionary(fc.constantFrom("a", "b"), fc.jsonValue({ maxDepth: 3 }).filter(storable)),
			fc.array(mutation, { maxLength: 12 }),
			async (start, sequence) => {
				const first = plain(start) as Record<string, Json>;
				const expected = structuredClone(first) as Record<string, unknown>;
				const results = sequence.map((mutate) => mutate(expected));
				mutations = sequence;
				const { use, session } = open(Tree, undefined, { state: { root: first } });
				const outcome = await use("act");
				expect(outcome.result).toEqual(plain({ results, now: expected }));
				expect(session.snapshot().root).toEqual(plain(expected));
				const changed = JSON.stringify(first) !== JSON.stringify(plain(expected));
				if (!changed) expect(outcome.changes).toEqual([]);
				for (const { prev, next } of outcome.changes) expect([prev, next]).toEqual([first, plain(expected)]);
			},
		),
		{ numRuns: 500 },
	);
});
