import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readUpdate } from "../../channels/telegram/read-update.js";

const path = join(import.meta.dirname, "../../channels/telegram/fixtures/updates.json");
const { updates, source, date } = JSON.parse(readFileSync(path, "utf8")) as {
	source: string;
	date: string;
	updates: Record<string, { update: Parameters<typeof readUpdate>[0]; inbound: object | null }>;
};

describe("an update is read as", () => {
	it("a file with its source and date says", () => {
		expect(source).toContain("core.telegram.org");
		expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
	});

	it.each(Object.entries(updates))("%s", (_, { update, inbound }) => {
		const reading = readUpdate(update, {
			door: "telegram",
			bot: { id: 42, username: "callboard_bot" },
			groups: "addressed",
			knowsAlbum: () => false,
		});
		expect(reading ?? null).toEqual(inbound === null ? null : { inbound });
	});
});
