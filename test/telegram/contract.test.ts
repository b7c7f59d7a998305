import { describe, it } from "vitest";
import { withoutTags } from "../../channels/telegram/html.js";
import type { TelegramPayload } from "../../channels/telegram/render-part.js";
import { addressKey } from "../../src/call/address.js";
import type { Payload } from "../../src/channel/channel.js";
import { channelContract } from "../../src/testing/channel-contract.js";
import { telegramFaults } from "../../src/testing/telegram-faults.js";
import { startTelegramServer } from "../../src/testing/telegram-server.js";
import type { TelegramUpdate } from "../../src/testing/telegram-updates.js";
import { served } from "./stand.js";

const faults = {
	"rate-limited": telegramFaults.tooMany(0),
	"server-error": telegramFaults.brokenServer(),
	refused: telegramFaults.refused(),
	"connection-reset": telegramFaults.acceptedThenReset(),
};

async function make(mode: "polling" | "webhook") {
	const server = await startTelegramServer();
	const people = { ana: server.person({ id: 7001, name: "Ana" }), bea: server.person({ id: 7002, name: "Bea" }) };
	const { channel, gateway } = await served(server, { mode });
	const idOf = (chat: string) => (chat === "bea" ? people.bea : people.ana).chat;
	const updates = new Map<string, TelegramUpdate>();
	return {
		channel,
		textOf: (payload: Payload) => withoutTags((payload as unknown as TelegramPayload).html ?? ""),
		choicesOf(payload: Payload) {
			const { buttons = [] } = payload as { buttons?: { text: string; data: string }[][] };
			return buttons.flat().map(({ text, data }) => ({ id: data, label: text }));
		},
		addressOf: (chat: string) => addressKey({ door: "door", chat: String(idOf(chat)) }),
		inbound({ id, chat, text }: { id: string; chat: string; text: string }) {
			const known = updates.get(id);
			const update = known ?? (chat === "bea" ? people.bea : people.ana).says(text);
			updates.set(id, update);
			const handed = server.updates.handed(update);
			if (known !== undefined) server.updates.redeliver(update);
			return handed;
		},
		async own(chat: string, text: string) {
			const message = server.chats.post(idOf(chat), server.chats.bot, { text });
			await server.updates.handed(server.updates.push({ message }));
		},
		seen: (chat: string) => server.texts(idOf(chat)),
		fail: (how: keyof typeof faults) => server.fail("sendMessage", undefined, faults[how]),
		async close() {
			await gateway?.stop(0);
			await server.stop();
		},
	};
}

channelContract({ name: "telegram by webhook", describe, it, make: () => make("webhook") });

channelContract({
	name: "telegram by polling",
	describe,
	it,
	make: () => make("polling"),
	skip: {
		"a message that could not be stored is not acknowledged, and is taken when it comes again":
			"a poll has no refusal: shown in polling.test.ts, where what was not stored is not confirmed",
	},
});
