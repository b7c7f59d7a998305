import { describe, expect, test } from "vitest";
import { readableTheme } from "../../channels/web/readable-theme.js";

describe("an accent alone", () => {
	test.each([
		["#7c3aed", "#ffffff"],
		["#000000", "#ffffff"],
		["#ffd400", "#000000"],
		["#FFFFFF", "#000000"],
	])("%s gets text that can be read on it", (accent, onAccent) => {
		expect(readableTheme({ accent }).onAccent).toBe(onAccent);
	});

	test("becomes lighter in dark mode where it would drown in the panel, and only there", () => {
		expect(readableTheme({ accent: "#1e3a8a" })).toMatchObject({ accentDark: "#6275ad", onAccentDark: "#000000" });
		expect(readableTheme({ accent: "#ffd400" })).toMatchObject({ accentDark: "#ffd400", onAccentDark: "#000000" });
	});

	test("takes nothing from what is set, and leaves colours it cannot read as they are", () => {
		const full = { accent: "#1e3a8a", onAccent: "red", accentDark: "teal", onAccentDark: "blue", radius: "4px" };
		expect(readableTheme(full)).toEqual(full);
		expect(readableTheme({ accent: "rebeccapurple" })).toEqual({ accent: "rebeccapurple" });
		expect(readableTheme({ radius: "4px" })).toEqual({ radius: "4px" });
	});
});
