import { type Author, isRecord, refusal } from "./author.js";
import type { AgentSettings } from "./declaration.js";
import { suggestion } from "./nearest.js";

/** How a call behaves when its agent says nothing about it. */
const defaultSettings: AgentSettings = {
	maxSteps: 8,
	safeLine: "Sorry, I did not catch that. Could you say it another way?",
	apology: "Sorry, I cannot answer right now. Please try again in a moment.",
	handover: "I am passing you to a colleague, who will answer here.",
	window: 60,
	idleMs: 2 * 60 * 60 * 1000,
	arrivals: "queue",
	quietMs: 1_500,
	longestWaitMs: 8_000,
	busy: "I was still busy with what you wrote before and did not read the last message. Please send it again.",
};

const isCount = (least: number) => (value: unknown) => Number.isSafeInteger(value) && (value as number) >= least;
const isWords = (value: unknown) => typeof value === "string" && value.trim() !== "";

const rules: Readonly<Record<keyof AgentSettings, { fits: (value: unknown) => boolean; must: string }>> = {
	maxSteps: { fits: isCount(1), must: "a whole number from 1" },
	safeLine: { fits: isWords, must: "words" },
	apology: { fits: isWords, must: "words" },
	handover: { fits: isWords, must: "words" },
	unreadable: { fits: isWords, must: "words" },
	window: { fits: isCount(1), must: "a whole number from 1" },
	idleMs: { fits: isCount(0), must: "a whole number of ms, 0 for never" },
	arrivals: {
		fits: (value) => ["queue", "debounce", "interrupt", "drop"].includes(value as string),
		must: '"queue", "debounce", "interrupt" or "drop"',
	},
	quietMs: { fits: isCount(1), must: "a whole number of ms from 1" },
	longestWaitMs: { fits: isCount(1), must: "a whole number of ms from 1" },
	busy: { fits: isWords, must: "words" },
	model: {
		fits: (value) =>
			isRecord(value) && isWords(value.name) && (value.baseURL === undefined || URL.canParse(String(value.baseURL))),
		must: '{ name: "…", baseURL?: "https://…" }',
	},
};

/**
 * The settings an author wrote, with every other at its default.
 *
 * @throws CallboardError `BAD_SETTING` naming the setting and what it must be.
 */
export function settingsFrom(author: Author, written: unknown): AgentSettings {
	if (written === undefined) return defaultSettings;
	if (!isRecord(written)) {
		throw refusal(
			author,
			"BAD_SETTING",
			`static settings of ${author.title} is no object`,
			"write { maxSteps: 8 } or the like",
		);
	}
	const names = Object.keys(rules);
	for (const [name, value] of Object.entries(written)) {
		if (!Object.hasOwn(rules, name)) {
			const message = `${author.title} has no setting ${name}${suggestion(name, names)}`;
			throw refusal(author, "BAD_SETTING", message, `the settings are ${names.join(", ")}`);
		}
		const rule = rules[name as keyof AgentSettings];
		if (value !== undefined && !rule.fits(value)) {
			throw refusal(
				author,
				"BAD_SETTING",
				`setting ${name} of ${author.title} is not ${rule.must}`,
				`write ${rule.must}`,
			);
		}
	}
	const given = Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined));
	return { ...defaultSettings, ...given };
}
