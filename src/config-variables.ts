import { z } from "zod";

/** One setting of a process. */
export interface Variable {
	name: string;
	/** What it is, for `.env.example`. */
	about: string;
	/** As it would be written; "" when it has none. */
	default: string;
	/** Its value is never shown. */
	secret?: true;
	/** What is accepted, in words that follow "must be". */
	must: string;
	check: z.ZodType;
}

const text = z.string();
const list = text.transform((value) =>
	value
		.split(",")
		.map((each) => each.trim())
		.filter(Boolean),
);

/** Every variable Callboard reads, in the order of `.env.example`. */
export const variables = [
	{
		name: "PORT",
		about: "Port of the web page and of webhooks.",
		default: "3000",
		must: "a whole number from 0 to 65535",
		check: text
			.regex(/^\d{1,5}$/)
			.transform(Number)
			.refine((port) => port <= 65_535),
	},
	{
		name: "HOST",
		about: "Address to listen at. 0.0.0.0 lets other machines in.",
		default: "127.0.0.1",
		must: "a host name or an address, such as 127.0.0.1",
		check: text.regex(/^[\w.:-]+$/),
	},
	{
		name: "CALLBOARD_TRUST_PROXY",
		about:
			"How many reverse proxies of yours stand in front, each adding X-Forwarded-For. With 0 none is believed, and all visitors behind one count as one.",
		default: "0",
		must: "a whole number from 0 to 9",
		check: text.regex(/^\d$/).transform(Number),
	},
	{
		name: "OPENAI_API_KEY",
		about: "Key of the model's provider. Without one the scripted demo beside the agent answers.",
		default: "",
		secret: true,
		must: "one word without spaces",
		check: text.regex(/^\S+$/),
	},
	{
		name: "OPENAI_BASE_URL",
		about: "Another server that speaks the same protocol, such as http://127.0.0.1:11434/v1.",
		default: "",
		secret: true,
		must: "a URL that starts with http:// or https://",
		check: z.url({ protocol: /^https?$/ }),
	},
	{
		name: "CALLBOARD_MODEL",
		about: "The model to ask, by the provider's name for it.",
		default: "gpt-4.1-mini",
		must: "one word without spaces",
		check: text.regex(/^\S+$/),
	},
	{
		name: "CALLBOARD_FALLBACK_MODELS",
		about: "Models to ask in this order when the first cannot answer, separated by commas.",
		default: "",
		must: "names separated by commas",
		check: list,
	},
	{
		name: "CALLBOARD_AGENT",
		about: "The agent that answers, where a project has several.",
		default: "",
		must: "an agent's name, such as clinica-norte",
		check: text.regex(/^[\w-]+$/),
	},
	{
		name: "CALLBOARD_TZ",
		about: 'Time zone of "today". The machine\'s own when empty.',
		default: "",
		must: "a time zone, such as Europe/Madrid",
		check: text.refine(isTimeZone),
	},
	{
		name: "CALLBOARD_BACKEND",
		about: "Where calls and queues are kept: embedded or redis. When empty: redis if REDIS_URL is set, else embedded.",
		default: "",
		must: "embedded or redis",
		check: z.enum(["embedded", "redis"]),
	},
	{
		name: "REDIS_URL",
		about:
			"The Redis of the redis backend, such as redis://127.0.0.1:6379. Of a cluster some nodes, separated by commas: one may be down.",
		default: "",
		secret: true,
		must: "a URL that starts with redis:// or rediss://",
		check: text
			.transform((value) => value.split(/,\s*(?=rediss?:\/\/)/))
			.pipe(z.array(z.url({ protocol: /^rediss?$/ }))),
	},
	{
		name: "CALLBOARD_CONCURRENCY",
		about:
			"Turns that one process runs at once, and chats that it sends to at once. What comes beyond that waits, or is another process's.",
		default: "200",
		must: "a whole number from 1 to 10000",
		check: text
			.regex(/^\d{1,5}$/)
			.transform(Number)
			.refine((count) => count >= 1 && count <= 10_000),
	},
	{
		name: "CALLBOARD_DATA",
		about: "Folder of the embedded backend.",
		default: ".callboard",
		must: "a folder",
		check: text,
	},
	{
		name: "CALLBOARD_SECRET",
		about: "Signs visitor sessions of the web chat: any 32 characters or more. callboard dev makes its own.",
		default: "",
		secret: true,
		must: "32 characters or more",
		check: text.min(32),
	},
	{
		name: "CALLBOARD_TITLE",
		about: "What stands above the web chat. The agent's class name, as its docstring writes it, when empty.",
		default: "",
		must: "at most 80 characters",
		check: text.max(80),
	},
	{
		name: "CALLBOARD_ACCENT",
		about:
			'The strong colour of the web chat, in quotes because of its #: "#0f766e". Text on it is black or white by itself.',
		default: "",
		must: 'a colour of six hexadecimal digits in quotes, such as "#0f766e"',
		check: text.regex(/^#[\da-f]{6}$/i),
	},
	{
		name: "CALLBOARD_ALLOWED_ORIGINS",
		about:
			"Sites that may embed the web chat, separated by commas: https://example.org, https://*.example.org, or * for all.",
		default: "",
		must: "origins separated by commas, such as https://example.org",
		check: list.refine((origins) => origins.every(isOrigin)),
	},
	{
		name: "CALLBOARD_ADMIN_TOKEN",
		about: "Opens /metrics and the pages under /admin: any 32 characters or more. Without it they do not exist.",
		default: "",
		secret: true,
		must: "32 characters or more, without spaces",
		check: text.regex(/^\S{32,}$/),
	},
	{
		name: "OTEL_EXPORTER_OTLP_ENDPOINT",
		about: "Where traces are sent, such as http://127.0.0.1:4318. See docs/operations.md for the packages it takes.",
		default: "",
		secret: true,
		must: "a URL that starts with http:// or https://",
		check: z.url({ protocol: /^https?$/ }),
	},
	{
		name: "OTEL_SERVICE_NAME",
		about: "What this process is called in traces.",
		default: "callboard",
		must: "one word without spaces",
		check: text.regex(/^\S+$/),
	},
	{
		name: "TELEGRAM_TOKEN",
		about: "Token of a Telegram bot, as @BotFather gave it. With one the agent answers there too.",
		default: "",
		secret: true,
		must: "a bot's token, such as 123456:ABC-DEF",
		check: text.regex(/^\d{1,20}:[\w-]{3,100}$/),
	},
	{
		name: "TELEGRAM_WEBHOOK_URL",
		about: "Public https address of this server, where Telegram posts updates. When empty they are polled.",
		default: "",
		must: "a URL that starts with https://",
		check: z.url({ protocol: /^https?$/ }),
	},
	{
		name: "TELEGRAM_WEBHOOK_SECRET",
		about:
			"Proves that an update is from Telegram: 16 to 256 of A-Z a-z 0-9 _ -, such as `openssl rand -hex 32` prints.",
		default: "",
		secret: true,
		must: "16 to 256 letters, digits, _ or -",
		check: text.regex(/^[\w-]{16,256}$/),
	},
	{
		name: "TELEGRAM_API_ROOT",
		about: "Another server of the Bot API, such as http://127.0.0.1:8081.",
		default: "",
		must: "a URL without a slash at its end",
		check: z.url({ protocol: /^https?$/ }).refine((url) => !url.endsWith("/")),
	},
	{
		name: "CALLBOARD_LOG",
		about: "What is logged: debug, info, warn, error or silent.",
		default: "info",
		must: "debug, info, warn, error or silent",
		check: z.enum(["debug", "info", "warn", "error", "silent"]),
	},
	{
		name: "CALLBOARD_DEBUG",
		about: "1 shows the stack of errors.",
		default: "0",
		must: "0 or 1",
		check: z.enum(["0", "1"]).transform((value) => value === "1"),
	},
] as const satisfies readonly Variable[];

function isTimeZone(name: string): boolean {
	try {
		return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
	} catch {
		return false;
	}
}

function isOrigin(origin: string): boolean {
	return origin === "*" || /^https?:\/\/(?:\*\.)?[\w-]+(?:\.[\w-]+)*(?::\d{1,5})?$/.test(origin);
}
