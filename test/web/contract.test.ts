import { createHash } from "node:crypto";
import { describe, it } from "vitest";
import { web } from "../../channels/web/channel.js";
import type { ServerFrame, WebPart } from "../../channels/web/protocol.js";
import { Sessions } from "../../channels/web/session.js";
import { channelContract } from "../../src/testing/channel-contract.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";

const SECRET = "a secret of the tests alone";
const HOUR = 60 * 60 * 1000;

/** The token of a visitor with a name of our choice. */
function tokenOf(chat: string): string {
	const now = new VirtualClock().now();
	return new Sessions([SECRET], "door", HOUR).issue(now, { token: "", session: { visitor: chat, expiresAt: now } })
		.token;
}

/** Pages make UUIDs; the suite has short names. */
function uuidOf(id: string): string {
	const hex = createHash("sha256").update(id).digest("hex");
	return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
}

function make() {
	const channel = web({ secret: SECRET, rate: { perSession: 1_000, perIp: 1_000 } });
	const shown: string[] = [];
	const ask = (path: string, chat: string, init: RequestInit = {}) => {
		const headers = { authorization: `Bearer ${tokenOf(chat)}` };
		return channel.routes.fetch(new Request(`http://127.0.0.1/chat/${path}`, { ...init, headers }), {
			ip: "127.0.0.1",
		});
	};
	const listen = async (): Promise<void> => {
		const { body } = await ask("events", "ana");
		const decoder = new TextDecoder();
		for await (const chunk of body ?? []) {
			for (const event of decoder.decode(chunk).split("\n\n")) {
				const data = event.split("\n").find((line) => line.startsWith("data: "));
				const frame = data === undefined ? undefined : (JSON.parse(data.slice(6)) as ServerFrame);
				if (frame?.type === "part") shown.push(wordsOf(frame.entry.from === "agent" ? frame.entry.part : undefined));
			}
		}
	};
	const start = channel.start.bind(channel);
	channel.start = async (host) => {
		await start(host);
		void listen();
	};
	return {
		channel,
		textOf: (payload: unknown) => wordsOf(payload as WebPart),
		choicesOf: (payload: unknown) => {
			const part = payload as WebPart;
			return part.kind === "choices" ? part.choices : [];
		},
		async inbound({ id, chat, text }: { id: string; chat: string; text: string }) {
			const body = JSON.stringify({ type: "message", id: uuidOf(id), content: { kind: "text", text } });
			const { ok } = await ask("messages", chat, { method: "POST", body });
			return ok ? ("acknowledged" as const) : ("refused" as const);
		},
		async seen() {
			await new VirtualClock().settle();
			return shown;
		},
	};
}

function wordsOf(part: WebPart | undefined): string {
	return part === undefined || part.kind === "data" ? "" : part.text;
}

channelContract({
	name: "web",
	make,
	describe,
	it,
	skip: {
		"a send that fails is a result, never a throw": "there is no platform between: the page reads the transcript",
		"its own messages are not taken for a person's": "a page cannot send what the agent said",
	},
});
