import { Agent, type Contact, type Json, type JsonObject, stages, tool } from "callboard";
import { describe, expect, test } from "vitest";
import type { AgentSession, Outcome } from "../../src/agent/declaration.js";
import { open, refusalOf } from "./opening.js";

const signal = () => new AbortController().signal;

class Desk extends Agent {
	static events = { paid: { from: ["app"] }, typing: { from: ["participant", "timer"] } };
	stage = stages("greet", "done");
	heard: string[] = [];

	onCall(call: Desk["call"]) {
		this.heard.push(`call from ${call.from}`);
		this.call.say("welcome");
	}

	async onEnd() {
		await Promise.resolve();
		throw new Error("the archive is closed");
	}

	onEvent(name: string, data: Json, { source }: { source: string }) {
		this.heard.push(`${name} ${JSON.stringify(data)} from ${source}`);
	}
}

/** What `onCall` asked for. */
async function began(session: AgentSession): Promise<Outcome> {
	const outcome = await session.hook("onCall", signal());
	if (outcome === undefined) throw new Error("there is no onCall");
	return outcome;
}

describe("hooks", () => {
	test("onCall writes with its own name and may speak", async () => {
		const { session } = open(Desk);
		const outcome = await began(session);
		expect(outcome.changes).toMatchObject([
			{ seq: 1, field: "heard", prev: [], next: ["call from web:a"], author: "hook:onCall" },
		]);
		expect(outcome.acts).toEqual([{ act: "say", part: { kind: "text", text: "welcome" } }]);
		expect(session.snapshot().heard).toEqual([]);
		session.apply(outcome);
		expect(session.snapshot().heard).toEqual(["call from web:a"]);
	});

	test("a throw is the rejection; a hook that is not there does nothing", async () => {
		await expect(open(Desk).session.hook("onEnd", signal())).rejects.toThrow("the archive is closed");
		class Bare extends Agent {}
		expect(await open(Bare).session.hook("onCall", signal())).toBeUndefined();
	});

	test("a hook that never returns is ended after 30 s, a stopped turn ends it at once", async () => {
		class Hanging extends Agent {
			async onCall() {
				await new Promise(() => {});
			}
		}
		const { session, clock } = open(Hanging);
		const running = refusalOf(() => session.hook("onCall", signal()));
		await clock.advance(30_000);
		expect((await running).code).toBe("HOOK_TIMEOUT");
		const controller = new AbortController();
		const stopped = session.hook("onCall", controller.signal);
		controller.abort(new Error("lease lost"));
		await expect(stopped).rejects.toThrow("lease lost");
	});
});

describe("case 25: events", () => {
	test("a declared pair of name and source is heard, its writes have its name", async () => {
		const { session } = open(Desk);
		const outcome = await session.event("paid", { euros: 3 }, "app", signal());
		expect(outcome?.changes).toMatchObject([{ author: "event:paid", next: ['paid {"euros":3} from app'] }]);
		expect(await session.event("typing", null, "timer", signal())).toBeDefined();
	});

	test("any other is dropped with one warning per call and name, over all its turns", async () => {
		const first = open(Desk);
		for (const [name, source] of [
			["paid", "participant"],
			["paid", "timer"],
			["sold", "app"],
			["toString", "app"],
		] as const) {
			expect(await first.session.event(name, null, source, signal())).toBeUndefined();
		}
		expect(first.log.lines.map(({ event, fields }) => [event, fields.event, fields.why])).toEqual([
			["event.dropped", "paid", "it is not declared to come from participant"],
			["event.dropped", "sold", "it is not declared"],
			["event.dropped", "toString", "it is not declared"],
		]);
		const again = open(first.declaration);
		await again.session.event("sold", null, "app", signal());
		expect(again.log.lines).toEqual([]);
		const other = open(first.declaration, undefined, { call: callOf("call-2") });
		await other.session.event("sold", null, "app", signal());
		expect(other.log.events()).toEqual(["event.dropped"]);
	});
});

function callOf(id: string) {
	return {
		id,
		address: "web|b",
		channel: "web",
		transport: "chat",
		from: "web:b",
		contact: { id: "web:b" },
		today: "2026-05-04",
		history: () => [],
	} as const;
}

describe("continuity", () => {
	let saved: JsonObject = {};
	class Returning extends Agent {
		static last = async (contact: Contact) => (contact.id === "web:a" ? saved : undefined);
		stage = stages("greet", "known");
		name: string | undefined = "nobody";
		visits = 0;
		list = [1, 2];

		async onCall() {
			const last = await this.last();
			if (last) this.restore(last);
		}

		@tool({ doc: "Begins elsewhere." })
		begin() {
			this.startIn({ stage: "known", visits: 5 });
		}

		@tool({ doc: "Tries what there is not." })
		wrong() {
			this.startIn({ visit: 1 });
		}

		@tool({ doc: "Sums up." })
		sum() {
			this.collapse("She came back.");
		}
	}

	test("restore puts back a whole state and clears what it does not name; stage begins anew", async () => {
		saved = { visits: 3, list: [7] };
		const { session } = open(Returning);
		session.apply(await began(session));
		expect(session.readable()).toEqual({ stage: "greet", visits: 3, list: [7] });
		saved = JSON.parse(JSON.stringify(session.snapshot()));
		const later = open(Returning);
		later.session.apply(await began(later.session));
		expect(later.session.snapshot()).toEqual(session.snapshot());
	});

	test("startIn writes only what it names, and refuses what there is not", async () => {
		const { use, session } = open(Returning);
		await use("begin");
		expect(session.snapshot()).toEqual({ stage: "known", name: "nobody", visits: 5, list: [1, 2] });
		const outcome = await use("wrong");
		expect(outcome.status).toBe("failed");
	});

	test("collapse is an act of the outcome", async () => {
		expect((await open(Returning).use("sum")).acts).toEqual([{ act: "collapse", sentence: "She came back." }]);
	});

	test("last without a store rejects with how to give one", async () => {
		class Forgetful extends Agent {
			async onCall() {
				await this.last();
			}
		}
		const error = await refusalOf(() => open(Forgetful).session.hook("onCall", signal()));
		expect(error.code).toBe("NO_LAST_STORE");
		expect(error.next).toContain("static last = async (contact) =>");
	});
});

describe("listeners", () => {
	test("bot.finished is awaited by whoever listens, and told once to once", async () => {
		let told = 0;
		class Ending extends Agent {
			@tool({ doc: "Says goodbye." })
			bye() {
				this.call.once("bot.finished", () => {
					told += 1;
				});
			}
		}
		const { session, use } = open(Ending);
		expect(session.awaitsFinish).toBe(false);
		const outcome: Outcome = await use("bye");
		expect(outcome.acts).toMatchObject([{ act: "hangup", after: "delivered" }]);
		expect(session.awaitsFinish).toBe(true);
		session.emit("bot.finished", {});
		session.emit("bot.finished", {});
		expect([told, session.awaitsFinish]).toEqual([1, false]);
	});
});

describe("blocks", () => {
	test("text, a dynamic function of the state and a static function are given by name", async () => {
		let rendered = 0;
		class Shop extends Agent {
			static blocks = {
				static: {
					rules: "Never promise a price.",
					hours: (shop: Shop) => {
						rendered += 1;
						return `Open ${shop.hours()}.`;
					},
				},
				dynamic: { basket: (shop: Shop) => `In the basket: ${shop.basket.join()}` },
			};
			basket: string[] = [];
			hours() {
				return "from nine";
			}
			@tool({ doc: "Adds." })
			add() {
				this.basket.push("tea");
			}
		}
		const { declaration, session, use } = open(Shop);
		expect(declaration.blocks).toEqual([
			{ name: "rules", region: "static" },
			{ name: "hours", region: "static" },
			{ name: "basket", region: "dynamic" },
		]);
		await use("add");
		expect(["rules", "hours", "basket"].map((name) => session.block(name))).toEqual([
			"Never promise a price.",
			"Open from nine.",
			"In the basket: tea",
		]);
		expect(rendered).toBe(1);
		expect((await refusalOf(() => session.block("other"))).code).toBe("UNKNOWN_BLOCK");
	});
});
