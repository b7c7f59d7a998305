import { describe, expect, it } from "vitest";
import { addressKey } from "../../src/call/address.js";
import type { Payload } from "../../src/channel/channel.js";
import { type ChannelUnderTest, type ContractCase, channelContract } from "../../src/testing/channel-contract.js";
import { FakeChannel, type FakePayload, payloadText } from "../../src/testing/fake-channel.js";
import { platformAnswers } from "../../src/testing/platform-answers.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";

const shown = (payload: Payload) => payload as unknown as FakePayload;

const offered = (payload: FakePayload) => (payload.kind === "choices" ? payload.choices : []);

/** A sound channel with its platform; a test breaks one thing of it. */
function sound(): ChannelUnderTest & { channel: FakeChannel } {
	const channel = new FakeChannel({ clock: new VirtualClock() });
	return {
		channel,
		textOf: (payload) => payloadText(shown(payload)),
		choicesOf: (payload) => offered(shown(payload)),
		seen: () => channel.delivered.map((each) => payloadText(each.payload)),
		inbound({ id, chat, text }) {
			const address = addressKey({ door: "door", chat });
			const content = { kind: "text", text } as const;
			const message = { type: "message", id, address, contact: { id: "fake:x" }, content, sentAt: 0 } as const;
			return channel.receive(message).then(
				() => "acknowledged",
				() => "refused",
			);
		},
		async own() {},
		fail: (how) =>
			channel.answer(
				how === "refused"
					? platformAnswers.refused()
					: how === "connection-reset"
						? platformAnswers.lostThenReset()
						: platformAnswers.tooMany(1),
			),
	};
}

/** Runs one case of the contract over a channel. */
async function holds(name: ContractCase, make: () => ChannelUnderTest): Promise<void> {
	const cases = new Map<string, () => Promise<void>>();
	channelContract({ name: "any", make, describe: (_, run) => run(), it: (each, run) => cases.set(each, run) });
	const run = cases.get(name);
	if (run === undefined) throw new Error(`there is no case "${name}"`);
	await run();
}

function cutsAnywhere({ channel }: ReturnType<typeof sound>): void {
	channel.render = (part) => {
		const text = part.kind === "text" ? part.text : "";
		const starts = Array.from({ length: Math.ceil(text.length / 4000) }, (_, n) => n * 4000);
		return starts.map((start) => ({ kind: "text", text: text.slice(start, start + 4000) }));
	};
}

/** For each case, what a careless channel does. */
const faults: Record<ContractCase, (under: ReturnType<typeof sound>) => void> = {
	"rendering is pure: the same part makes the same payloads, and they are plain data": ({ channel }) => {
		let n = 0;
		channel.render = () => [{ kind: "text", text: `${n++}` }];
	},
	"a long text loses no word and every message fits the platform, in its own unit": ({ channel }) => {
		channel.render = (part) => (part.kind === "text" ? [{ kind: "text", text: part.text.slice(0, 3990) }] : []);
	},
	"no message ends inside a character": ({ channel }) => {
		channel.render = (part) => {
			const text = part.kind === "text" ? part.text : "";
			return Array.from({ length: Math.ceil(text.length / 3999) }, (_, n) => ({
				kind: "text",
				text: text.slice(n * 3999, (n + 1) * 3999),
			}));
		};
	},
	"a code block cut in two is closed and opened again": cutsAnywhere,
	"a link is never cut": cutsAnywhere,
	"choices become buttons, rows or numbered lines, and no label is lost": ({ channel }) => {
		const render = channel.render.bind(channel);
		channel.render = (part) => render(part.kind === "choices" ? { ...part, choices: part.choices.slice(0, 10) } : part);
	},
	"a label too long for the platform is shown whole": ({ channel }) => {
		const render = channel.render.bind(channel);
		channel.render = (part) =>
			part.kind !== "choices"
				? render(part)
				: render({ ...part, choices: part.choices.map((each) => ({ ...each, label: each.label.slice(0, 24) })) });
	},
	"what is sent is seen once, in order, and every send is answered": ({ channel }) => {
		const send = channel.send.bind(channel);
		channel.send = async (payload, delivery) => {
			await send(payload, delivery);
			return send(payload, delivery);
		};
	},
	"a send that fails is a result, never a throw": ({ channel }) => {
		const send = channel.send.bind(channel);
		channel.send = async (payload, delivery) => {
			const result = await send(payload, delivery);
			if (result.outcome !== "sent") throw new Error("HTTP 429");
			return result;
		};
	},
	"a send to a chat that does not exist, or after the stop, is a result": ({ channel }) => {
		const send = channel.send.bind(channel);
		channel.send = async (payload, delivery) => {
			channel.host;
			return send(payload, delivery);
		};
	},
	"showing something never throws, whatever the chat": ({ channel }) => {
		channel.show = (address) => {
			decodeURIComponent(address);
		};
	},
	"starts, stops, and stops again without complaint": ({ channel }) => {
		let running = false;
		channel.start = async () => {
			running = true;
		};
		channel.stop = async () => {
			if (!running) throw new Error("it is not running");
			running = false;
		};
	},
	"what a person writes is handed over once, with the same id however often the platform repeats it": (under) => {
		const inbound = under.inbound as NonNullable<ChannelUnderTest["inbound"]>;
		let n = 0;
		under.inbound = (message) => inbound({ ...message, id: `${n++}` });
	},
	"messages of one chat keep their order, and chats do not mix": (under) => {
		const inbound = under.inbound as NonNullable<ChannelUnderTest["inbound"]>;
		under.inbound = (message) => inbound({ ...message, chat: "everybody" });
	},
	"a message that could not be stored is not acknowledged, and is taken when it comes again": (under) => {
		const inbound = under.inbound as NonNullable<ChannelUnderTest["inbound"]>;
		under.inbound = async (message) => {
			void inbound(message);
			return "acknowledged";
		};
	},
	"its own messages are not taken for a person's": (under) => {
		under.own = async (chat, text) => {
			await under.inbound?.({ id: "own", chat, text });
		};
	},
};

describe("the channel contract notices a channel that", () => {
	it.each(Object.entries(faults) as [ContractCase, (typeof faults)[ContractCase]][])(
		"breaks: %s",
		async (name, breaks) => {
			await holds(name, sound);
			await expect(
				holds(name, () => {
					const under = sound();
					breaks(under);
					return under;
				}),
			).rejects.toThrow();
		},
	);

	it("a case that is left out is not run, the others are", () => {
		const names: string[] = [];
		channelContract({
			name: "any",
			make: sound,
			describe: (_, run) => run(),
			it: (name) => names.push(name),
			skip: { "a link is never cut": "it has no links" },
		});
		expect(names).toHaveLength(Object.keys(faults).length - 1);
		expect(names).not.toContain("a link is never cut");
	});
});
