import { randomBytes } from "node:crypto";
import { CallboardError } from "../../src/errors.js";
import { isOriginPattern } from "./origins.js";
import { MAX_CHARACTERS } from "./protocol.js";
import { readableTheme } from "./readable-theme.js";

/** Looks of the chat. Colours are CSS colours; sites that embed it can still override them with CSS custom properties. */
export interface WebTheme {
	/** The one strong colour: the visitor's bubbles, buttons, the launcher. Default `#0f766e`. */
	accent?: string;
	/** Text on the accent. Default white, or black on an accent of six hexadecimal digits where white is hard to read. */
	onAccent?: string;
	/** The accent in dark mode, where a lighter one reads better. Default `#2cbfad` with dark text, or `accent`, as much lighter as it takes. */
	accentDark?: string;
	onAccentDark?: string;
	/** Corner radius of panel and bubbles, as a CSS length. Default `18px`. */
	radius?: string;
	/** CSS font family. Default the system's own. */
	font?: string;
	/** `auto` follows the visitor's system. Default `auto`. */
	mode?: "auto" | "light" | "dark";
	/** Corner of the floating launcher. Default `right`. */
	side?: "left" | "right";
}

/** How one web chat looks, who may embed it, and what a visitor may do; every value has a default. */
export interface WebOptions {
	/** Name of the business or bot, above the conversation. Default `Chat`. */
	title?: string;
	/** One line below the title. Default nothing. */
	subtitle?: string;
	/** What every visitor must know, shown whole above the conversation: that a demo answers. Default nothing. */
	notice?: string;
	/**
	 * Signs visitor sessions: at least 16 characters, the same in every process. With several, the first signs and all are
	 * accepted. Left out, one is made at start, and visitors lose their conversation at every restart.
	 */
	secret?: string | readonly string[];
	/** Sites that may embed the chat, such as `https://example.com` or `https://*.example.com`; `*` allows all. Default none but its own page. */
	allowedOrigins?: readonly string[];
	theme?: WebTheme;
	/** Messages a minute. Default 10 a session and 60 an IP address. */
	rate?: { perSession?: number; perIp?: number };
	/** Longest message in characters. Default 8,000; never above 8,000, for which frames are made. */
	maxCharacters?: number;
	/** Days until an unused session is over. Default 30. */
	sessionDays?: number;
	/** How many of the newest lines a page shows when it loads. Default 100. */
	history?: number;
	/** Connections one visitor may hold at once; the oldest is closed for a further one. Default 10. */
	connections?: number;
	/** Language of labels (`en`, `es`); default that of the visitor's browser. */
	language?: string;
	/** Replaces single labels, such as `{ placeholder: "Ask us anything" }`. */
	strings?: Readonly<Record<string, string>>;
	/** Where the chat lives. Default `/chat`. */
	path?: string;
	/** Whether `/` shows a page with the chat. Default true. */
	page?: boolean;
	/** Whether that page also shows how to embed the chat, for whoever develops it. Default false. */
	embed?: boolean;
}

export type WebSettings = Required<Omit<WebOptions, "secret" | "rate" | "language">> & {
	secrets: readonly string[];
	/** The secret was made here and dies with the process. */
	passing: boolean;
	rate: { perSession: number; perIp: number };
	language: string | undefined;
};

/** Fills in defaults. @throws CallboardError `WEB_OPTION_INVALID` naming the option. */
export function webSettings(options: WebOptions): WebSettings {
	const given = [options.secret ?? []].flat();
	for (const secret of given) {
		if (secret.length < 16) refuse("secret", "is shorter than 16 characters", "make one with `openssl rand -hex 32`");
	}
	const allowedOrigins = options.allowedOrigins ?? [];
	for (const origin of allowedOrigins) {
		if (!isOriginPattern(origin)) {
			refuse("allowedOrigins", `holds "${origin}", which is not an origin`, "write it like https://example.com");
		}
	}
	const path = options.path ?? "/chat";
	if (!/^(\/[\w-]+)+$/.test(path)) refuse("path", `"${path}" is not a path`, 'write it like "/chat"');
	const maxCharacters = count("maxCharacters", options.maxCharacters, MAX_CHARACTERS);
	if (maxCharacters > MAX_CHARACTERS) refuse("maxCharacters", "is above 8,000", "leave it out or lower it");
	return {
		title: options.title ?? "Chat",
		subtitle: options.subtitle ?? "",
		notice: options.notice ?? "",
		secrets: given.length > 0 ? given : [randomBytes(32).toString("hex")],
		passing: given.length === 0,
		allowedOrigins,
		theme: readableTheme(options.theme ?? {}),
		rate: {
			perSession: count("rate.perSession", options.rate?.perSession, 10),
			perIp: count("rate.perIp", options.rate?.perIp, 60),
		},
		maxCharacters,
		sessionDays: count("sessionDays", options.sessionDays, 30),
		history: count("history", options.history, 100),
		connections: count("connections", options.connections, 10),
		language: options.language,
		strings: options.strings ?? {},
		path,
		page: options.page ?? true,
		embed: options.embed ?? false,
	};
}

function count(name: string, value: number | undefined, fallback: number): number {
	const number = value ?? fallback;
	if (!Number.isInteger(number) || number < 1)
		refuse(name, "is not a whole number above 0", `leave it out for ${fallback}`);
	return number;
}

function refuse(option: string, problem: string, next: string): never {
	throw new CallboardError("WEB_OPTION_INVALID", "author", `option ${option} of the web channel ${problem}`, {
		where: "web()",
		next,
	});
}
