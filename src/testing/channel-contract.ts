import assert from "node:assert/strict";
import { type AddressKey, addressKey } from "../call/address.js";
import type { Choice, Part } from "../call/part.js";
import type { Channel, Payload, SendResult } from "../channel/channel.js";
import { numberedChoices } from "../channel/choices.js";
import { codeFences } from "../channel/code-fences.js";
import { measure } from "../channel/measure.js";
import { channelTexts } from "./channel-texts.js";
import { RecordingHost } from "./recording-host.js";

/** One channel with a stand-in of its platform, made anew for every case. */
export interface ChannelUnderTest {
	channel: Channel;
	/** The words a person sees in one payload. */
	textOf(payload: Payload): string;
	/** The answers a person can tap in one payload. Default: none. */
	choicesOf?(payload: Payload): readonly Choice[];
	/** The address of a chat, as this channel makes it. Default: door and chat. */
	addressOf?(chat: string): AddressKey;
	/**
	 * The platform delivers what a person wrote, once. `id` names the message at the platform: the same one twice is a
	 * redelivery. Resolves when the platform has its acknowledgement, with what it was told.
	 */
	inbound?(message: { id: string; chat: string; text: string }): Promise<"acknowledged" | "refused">;
	/** The platform delivers a message this very channel sent, as some do. */
	own?(chat: string, text: string): Promise<void>;
	/** What became visible in a chat, in order, as plain words. */
	seen?(chat: string): readonly string[] | Promise<readonly string[]>;
	/** Makes the next send fail in one of the ways platforms fail. */
	fail?(how: "rate-limited" | "server-error" | "refused" | "connection-reset"): void;
	/** Lets go of the stand-in. */
	close?(): Promise<void> | void;
}

export interface ChannelContract {
	/** The channel's name, for the report. */
	name: string;
	make(): ChannelUnderTest | Promise<ChannelUnderTest>;
	/** `describe` and `it` of vitest, or of any runner with the same two functions. */
	describe(name: string, run: () => void): unknown;
	it(name: string, run: () => Promise<void>): unknown;
	/** Cases this platform cannot have, each with the reason. They are not run. */
	skip?: Partial<Record<ContractCase, string>>;
}

/** Names of the cases, for `skip`. */
export type ContractCase = keyof typeof cases;

const TEXT: Part = { kind: "text", text: "Hello" };

const cases = {
	"rendering is pure: the same part makes the same payloads, and they are plain data": async ({ channel }) => {
		for (const part of sampleParts()) {
			const before = JSON.stringify(part);
			const first = channel.render(part);
			assert.deepEqual(channel.render(part), first);
			assert.deepEqual(JSON.parse(JSON.stringify(first)), first);
			assert.equal(JSON.stringify(part), before);
		}
	},
	"a long text loses no word and every message fits the platform, in its own unit": async ({ channel, textOf }) => {
		const { max, unit } = channel.capabilities.text;
		for (const [name, text] of Object.entries(channelTexts(max))) {
			const texts = channel.render({ kind: "text", text }).map(textOf);
			for (const each of texts)
				assert.ok(measure(each, unit) <= max, `${name}: a message is longer than ${max} ${unit}`);
			assert.ok(
				texts.every((each) => each.trim() !== ""),
				`${name}: an empty message`,
			);
			assert.ok(letters(texts.join(" ")) === letters(text), `${name}: words were lost or moved`);
		}
	},
	"no message ends inside a character": async ({ channel, textOf }) => {
		const texts = channel
			.render({ kind: "text", text: "👩‍👩‍👧‍👦🇪🇸".repeat(Math.ceil(channel.capabilities.text.max / 4)) })
			.map(textOf);
		for (const text of texts) {
			assert.doesNotMatch(text, /^[\udc00-\udfff]|[\ud800-\udbff]$/);
			assert.doesNotMatch(text, /^\u200d|\u200d$/);
		}
	},
	"a code block cut in two is closed and opened again": async ({ channel, textOf }) => {
		const { max, markup } = channel.capabilities.text;
		const code = Array.from({ length: Math.ceil(max / 10) }, (_, n) => `const line${n} = ${n};`).join("\n");
		const texts = channel.render({ kind: "text", text: `Look:\n\n\`\`\`js\n${code}\n\`\`\`\nDone.` }).map(textOf);
		assert.ok(texts.length > 1);
		if (markup !== "markdown") return;
		for (const text of texts) for (const fence of codeFences(text)) assert.notEqual(text.slice(fence.bodyEnd), "");
	},
	"a link is never cut": async ({ channel, textOf }) => {
		const { max } = channel.capabilities.text;
		const link = `https://example.org/${"agenda-".repeat(8)}end`;
		for (let shift = 0; shift < 80; shift += 16) {
			const text = `${"word ".repeat(Math.ceil((max - shift) / 5))}${link} ${"more ".repeat(20)}`;
			assert.ok(channel.render({ kind: "text", text }).some((payload) => textOf(payload).includes(link)));
		}
	},
	"choices become buttons, rows or numbered lines, and no label is lost": async ({ channel, textOf, choicesOf }) => {
		for (const count of [1, 2, 3, 4, 10, 11, 40]) {
			const choices = Array.from({ length: count }, (_, n) => ({ id: `choice-${n}`, label: `Label ${n}` }));
			const payloads = channel.render({ kind: "choices", text: "Which one suits you?", choices });
			const shown = payloads.map(textOf).join("\n");
			const tappable = payloads.flatMap((payload) => choicesOf?.(payload) ?? []);
			assert.match(shown, /Which one suits you\?/);
			if (tappable.length > 0)
				assert.deepEqual(
					tappable.map(({ id, label }) => ({ id, label })),
					choices,
				);
			else
				assert.ok(letters(shown).includes(letters(numberedChoices(choices))), `${count} choices: not all are numbered`);
			const { buttons, rows } = channel.capabilities.choices;
			assert.ok(tappable.length <= Math.max(buttons, rows));
		}
	},
	"a label too long for the platform is shown whole": async ({ channel, textOf, choicesOf }) => {
		const label = "A rather long label ".repeat(8).trim();
		const payloads = channel.render({ kind: "choices", text: "Which?", choices: [{ id: "long", label }] });
		const tappable = payloads.flatMap((payload) => choicesOf?.(payload) ?? []);
		const { labelMax } = channel.capabilities.choices;
		for (const choice of tappable) assert.ok(measure(choice.label, channel.capabilities.text.unit) <= labelMax);
		assert.ok(
			letters([...payloads.map(textOf), ...tappable.map((each) => each.label)].join(" ")).includes(letters(label)),
		);
	},
	"what is sent is seen once, in order, and every send is answered": async (under) => {
		const { channel, seen } = under;
		await started(under, async (address) => {
			for (let n = 0; n < 5; n += 1) {
				const results = await sendPart(channel, address, { kind: "text", text: `Part ${n}` }, `t${n}`);
				assert.deepEqual(
					results.map((result) => result.outcome),
					results.map(() => "sent"),
				);
			}
			const visible = (await seen?.("ana"))?.join("\n");
			if (visible === undefined) return;
			assert.deepEqual(visible.match(/Part \d/g), ["Part 0", "Part 1", "Part 2", "Part 3", "Part 4"]);
		});
	},
	"a send that fails is a result, never a throw": async (under) => {
		const { fail, channel } = under;
		assert.ok(fail !== undefined, "give `fail`, or skip this case with the reason");
		const expected = {
			"rate-limited": ["retry"],
			"server-error": ["retry", "ambiguous"],
			refused: ["failed"],
			"connection-reset": ["ambiguous", "retry"],
		} as const;
		await started(under, async (address) => {
			for (const how of Object.keys(expected) as (keyof typeof expected)[]) {
				fail(how);
				const [result] = await sendPart(channel, address, TEXT, how);
				assert.ok(
					result !== undefined && (expected[how] as readonly string[]).includes(result.outcome),
					`${how}: ${result?.outcome}`,
				);
				if (result.outcome === "retry") assert.ok(result.afterMs >= 0 && Number.isFinite(result.afterMs));
			}
			const [after] = await sendPart(channel, address, TEXT, "after");
			assert.equal(after?.outcome, "sent", "the door works again after a failure");
		});
	},
	"a send to a chat that does not exist, or after the stop, is a result": async (under) => {
		const { channel } = under;
		await started(under, async () => {
			await sendPart(channel, addressKey({ door: "door", chat: "nobody-here" }), TEXT, "nobody");
		});
		await sendPart(channel, address(under, "ana"), TEXT, "stopped");
	},
	"showing something never throws, whatever the chat": async (under) => {
		const { channel } = under;
		const show = (where: AddressKey) => {
			channel.show?.(where, { kind: "typing", on: true });
			channel.show?.(where, { kind: "draft", turn: "t", text: "Hel" });
			channel.show?.(where, { kind: "draft", turn: "t", text: "Hello 👩‍👩‍👧‍👦" });
			channel.show?.(where, { kind: "withdrawn", turn: "t" });
			channel.show?.(where, { kind: "typing", on: false });
			channel.ended?.(where, "done");
		};
		show(address(under, "ana"));
		await started(under, async (known) => {
			show(known);
			show(addressKey({ door: "door", chat: "nobody-here" }));
			show("not|an|address|at%all");
		});
		show(address(under, "ana"));
	},
	"starts, stops, and stops again without complaint": async (under) => {
		await started(under, async () => {});
		await under.channel.stop();
		await started(under, async (known) => {
			await sendPart(under.channel, known, TEXT, "again");
		});
	},
	"what a person writes is handed over once, with the same id however often the platform repeats it": async (under) => {
		const { inbound } = under;
		assert.ok(inbound !== undefined, "give `inbound`, or skip this case with the reason");
		await started(under, async (known, host) => {
			for (const id of ["m1", "m1", "m2", "m1"]) await inbound({ id, chat: "ana", text: `text of ${id}` });
			const texts = host.accepted.map((each) => each.type === "message" && each.content.text);
			assert.deepEqual(texts, ["text of m1", "text of m2"]);
			const [first] = host.accepted;
			assert.ok(first?.type === "message");
			assert.equal(first.address, known);
			assert.notEqual(first.contact.id, "");
		});
	},
	"messages of one chat keep their order, and chats do not mix": async (under) => {
		const { inbound } = under;
		assert.ok(inbound !== undefined, "give `inbound`, or skip this case with the reason");
		await started(under, async (_, host) => {
			for (let n = 0; n < 6; n += 1) await inbound({ id: `o${n}`, chat: n % 2 ? "bea" : "ana", text: `number ${n}` });
			const of = (chat: string) =>
				host.accepted.flatMap((each) =>
					each.type === "message" && each.address === address(under, chat) ? [each.content.text] : [],
				);
			assert.deepEqual(
				[of("ana"), of("bea")],
				[
					["number 0", "number 2", "number 4"],
					["number 1", "number 3", "number 5"],
				],
			);
		});
	},
	"a message that could not be stored is not acknowledged, and is taken when it comes again": async (under) => {
		const { inbound } = under;
		assert.ok(inbound !== undefined, "give `inbound`, or skip this case with the reason");
		await started(under, async (_, host) => {
			host.down = true;
			assert.equal(await inbound({ id: "r1", chat: "ana", text: "again" }), "refused");
			host.down = false;
			assert.equal(await inbound({ id: "r1", chat: "ana", text: "again" }), "acknowledged");
			assert.equal(host.accepted.length, 1);
		});
	},
	"its own messages are not taken for a person's": async (under) => {
		const { own } = under;
		assert.ok(own !== undefined, "give `own`, or skip this case with the reason");
		await started(under, async (known, host) => {
			await sendPart(under.channel, known, TEXT, "own");
			await own("ana", "Hello");
			assert.deepEqual(
				host.accepted.filter((each) => each.type === "message"),
				[],
			);
		});
	},
} satisfies Record<string, (under: ChannelUnderTest) => Promise<void>>;

/**
 * The suite every channel must pass, whatever its platform. Call it from a test file of the channel; what a platform
 * cannot have is left out by name, with the reason written beside it.
 */
export function channelContract(contract: ChannelContract): void {
	contract.describe(`channel contract: ${contract.name}`, () => {
		for (const [name, run] of Object.entries(cases) as [ContractCase, (under: ChannelUnderTest) => Promise<void>][]) {
			if (contract.skip?.[name] !== undefined) continue;
			contract.it(name, async () => {
				const under = await contract.make();
				try {
					await run(under);
				} finally {
					await under.channel.stop();
					await under.close?.();
				}
			});
		}
	});
}

async function started(
	under: ChannelUnderTest,
	run: (known: AddressKey, host: RecordingHost) => Promise<void>,
): Promise<void> {
	const host = new RecordingHost({ door: "door" });
	await under.channel.start(host);
	try {
		await run(address(under, "ana"), host);
	} finally {
		await under.channel.stop();
	}
}

function address(under: ChannelUnderTest, chat: string): AddressKey {
	return under.addressOf?.(chat) ?? addressKey({ door: "door", chat });
}

async function sendPart(channel: Channel, to: AddressKey, part: Part, id: string): Promise<SendResult[]> {
	const results: SendResult[] = [];
	for (const [index, payload] of channel.render(part).entries()) {
		const signal = new AbortController().signal;
		results.push(await channel.send(payload, { address: to, key: `${id}.${index}`, signal }));
	}
	return results;
}

function sampleParts(): Part[] {
	return [
		TEXT,
		{ kind: "choices", text: "Which?", choices: [{ id: "a", label: "A", description: "the first" }] },
		{ kind: "media", media: { kind: "image", mime: "image/png", ref: "https://example.org/a.png" }, text: "A map" },
		{ kind: "data", topic: "slots", data: { free: [1, 2, 3] } },
	];
}

/** The letters of a text, however they are laid out, cut, or marked up. */
function letters(text: string): string {
	return text.replace(/^\s*(?:```|~~~).*$/gm, "").replace(/[^\p{L}\p{N}\p{Extended_Pictographic}\p{RI}]+/gu, "");
}
