import { describe, expect, test } from "vitest";
import { Hub } from "../../channels/web/hub.js";
import type { Entry, ServerFrame } from "../../channels/web/protocol.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";

const ADDRESS = "web|ana";
const HISTORY: ServerFrame = { type: "history", entries: [], waiting: [], typing: false, ended: false, owner: "agent" };

function said(id: string, text: string): Entry {
	return { id, from: "agent", at: 0, part: { kind: "text", text } };
}

function setting(perAddress = 10) {
	const clock = new VirtualClock();
	const hub = new Hub(clock, perAddress);
	const connect = () => {
		const frames: ServerFrame[] = [];
		const closed: string[] = [];
		const member = hub.join(ADDRESS, {
			send: (frame) => frames.push(frame),
			close: (reason) => {
				closed.push(reason);
				member.leave();
			},
		});
		return { frames, closed, ...member };
	};
	return { clock, hub, connect };
}

describe("who listens to an address", () => {
	test("hears nothing before the history, and then all that came in the meantime, in order", () => {
		const { hub, connect } = setting();
		const page = connect();
		hub.said(ADDRESS, said("c.1.0.0", "one"));
		hub.heard(ADDRESS, { id: "u", from: "visitor", at: 0, text: "two" });
		expect(page.frames).toEqual([]);
		page.begin(HISTORY);
		hub.show(ADDRESS, { kind: "owner", owner: "human" });
		hub.ended(ADDRESS, "done");
		expect(page.frames.map(({ type }) => type)).toEqual(["history", "part", "message", "owner", "ended"]);
	});

	test("is not told again by a held frame what the history tells: typing and drafts", () => {
		const { hub, connect } = setting();
		const page = connect();
		hub.show(ADDRESS, { kind: "typing", on: true });
		hub.show(ADDRESS, { kind: "draft", turn: "c.1", text: "Hel" });
		expect(hub.passing(ADDRESS)).toEqual({ typing: true, draft: { turn: "c.1", text: "Hel" } });
		page.begin(HISTORY);
		expect(page.frames).toEqual([HISTORY]);
	});

	test("gets drafts a few times a second, always the newest, and none after the part", async () => {
		const { clock, hub, connect } = setting();
		const page = connect();
		page.begin(HISTORY);
		for (let n = 1; n <= 100; n++) {
			hub.show(ADDRESS, { kind: "draft", turn: "c.1", text: "x".repeat(n) });
			await clock.advance(1);
		}
		hub.said(ADDRESS, said("c.1.0.0", "x".repeat(100)));
		await clock.advance(1_000);
		const drafts = page.frames.filter((frame) => frame.type === "draft");
		expect(drafts.length).toBeLessThanOrEqual(3);
		expect(page.frames.at(-1)).toMatchObject({ type: "part", ends: "c.1" });
		expect(hub.passing(ADDRESS)).toEqual({ typing: false });
	});

	test("sees the last draft though no further one pushes it", async () => {
		const { clock, hub, connect } = setting();
		const page = connect();
		page.begin(HISTORY);
		hub.show(ADDRESS, { kind: "draft", turn: "c.1", text: "a" });
		hub.show(ADDRESS, { kind: "draft", turn: "c.1", text: "ab" });
		await clock.advance(60);
		expect(page.frames.at(-1)).toEqual({ type: "draft", turn: "c.1", text: "ab" });
	});

	test("keeps the draft of a turn while parts of another are said", () => {
		const { hub, connect } = setting();
		const page = connect();
		page.begin(HISTORY);
		hub.show(ADDRESS, { kind: "draft", turn: "c.2", text: "Second answer" });
		hub.said(ADDRESS, said("c.1.0.0", "First answer"));
		expect(page.frames.at(-1)).not.toHaveProperty("ends");
		expect(hub.passing(ADDRESS).draft).toEqual({ turn: "c.2", text: "Second answer" });
		hub.show(ADDRESS, { kind: "withdrawn", turn: "c.2" });
		expect(hub.passing(ADDRESS)).toEqual({ typing: false });
	});

	test("is told that nobody writes any more when a worker died in mid-turn", async () => {
		const { clock, hub, connect } = setting();
		const page = connect();
		page.begin(HISTORY);
		hub.show(ADDRESS, { kind: "typing", on: true });
		hub.show(ADDRESS, { kind: "draft", turn: "c.1", text: "Hel" });
		await clock.advance(29_000);
		expect(hub.passing(ADDRESS).typing).toBe(true);
		await clock.advance(2_000);
		expect(page.frames.slice(-2)).toEqual([
			{ type: "typing", on: false },
			{ type: "withdrawn", turn: "c.1" },
		]);
	});

	test("takes the place of the oldest page when there are too many", () => {
		const { hub, connect } = setting(2);
		const [first, second, third] = [connect(), connect(), connect()];
		for (const page of [second, third]) page.begin(HISTORY);
		hub.said(ADDRESS, said("c.1.0.0", "one"));
		expect(first.closed).toEqual(["replaced"]);
		expect(second.frames).toHaveLength(2);
		expect(third.frames).toHaveLength(2);
	});

	test("leaves nothing behind, neither rooms nor timers", async () => {
		const { clock, hub, connect } = setting();
		const page = connect();
		page.begin(HISTORY);
		hub.show(ADDRESS, { kind: "typing", on: true });
		hub.show(ADDRESS, { kind: "draft", turn: "c.1", text: "Hel" });
		page.leave();
		hub.said(ADDRESS, said("c.1.0.0", "Hello"));
		hub.show(ADDRESS, { kind: "typing", on: false });
		expect(clock.pending).toBe(0);
		const again = connect();
		hub.show(ADDRESS, { kind: "typing", on: true });
		hub.closeAll("going_away");
		expect(again.closed).toEqual(["going_away"]);
		expect(clock.pending).toBe(0);
	});
});
