import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { z } from "zod";
import { CallboardError } from "./errors.js";

/** The settings of one process, checked. Made by `readConfig` only. */
export interface Config {
	/** The project's folder, absolute. */
	root: string;
	port: number;
	host: string;
	backend: "embedded" | "redis";
	redisUrl: string | undefined;
	/** Where the embedded backend and development secrets are kept, absolute. */
	data: string;
	model: {
		apiKey: string | undefined;
		baseURL: string | undefined;
		name: string;
		/** Asked in this order when the first cannot answer. */
		fallbacks: readonly string[];
	};
	/** Signs visitor sessions. */
	secret: string | undefined;
	/** Opens metrics and admin pages; without one they do not exist. */
	adminToken: string | undefined;
	/** Where traces are sent, and under which name; nothing is sent without an endpoint. */
	traces: { endpoint: string | undefined; service: string };
	/** Sites that may open the web chat besides the server's own. */
	allowedOrigins: readonly string[];
	/** The agent to use where no `--agent` is given. */
	agent: string | undefined;
	log: LogLevel;
	/** Time zone of "today", such as `Europe/Madrid`. */
	timeZone: string;
	/** Whether errors show their stack. */
	debug: boolean;
	/** The value of a variable that an agent names for its own model's key. */
	key(variable: string): string | undefined;
}

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

interface Variable {
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
		about: "The Redis of the redis backend, such as redis://127.0.0.1:6379.",
		default: "",
		secret: true,
		must: "a URL that starts with redis:// or rediss://",
		check: z.url({ protocol: /^rediss?$/ }),
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

type Name = (typeof variables)[number]["name"];

export interface ReadConfigOptions {
	/** The project's folder. Default: the current one. */
	root?: string;
	/** Default: the environment of this process. */
	environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the settings from the environment and from `.env` in the project's folder; the environment wins. An empty value
 * counts as none.
 * @throws CallboardError `BAD_SETTINGS` naming every setting that is wrong and what it must be; never a secret's value.
 */
export function readConfig(options: ReadConfigOptions = {}): Config {
	const root = resolve(options.root ?? process.cwd());
	const file = readEnvFile(root);
	const environment = options.environment ?? process.env;
	const values = new Map<Name, unknown>();
	const wrong: string[] = misspelled(environment, file);
	for (const variable of variables as readonly (Variable & { name: Name })[]) {
		const fromFile = !environment[variable.name];
		const given = environment[variable.name] || file.values[variable.name] || variable.default;
		if (given === "") continue;
		const checked = variable.check.safeParse(given);
		if (checked.success) values.set(variable.name, checked.data);
		else wrong.push(`${place(variable.name, fromFile ? file : undefined)}${complaint(variable, given)}`);
	}
	if (wrong.length > 0) {
		throw new CallboardError("BAD_SETTINGS", "operator", wrong.join("; "), {
			next: "every setting is explained in .env.example",
		});
	}
	const get = <T>(name: Name) => values.get(name) as T;
	return {
		root,
		port: get("PORT"),
		host: get("HOST"),
		backend: get("CALLBOARD_BACKEND") ?? (values.has("REDIS_URL") ? "redis" : "embedded"),
		redisUrl: get("REDIS_URL"),
		data: resolve(root, get<string>("CALLBOARD_DATA")),
		model: {
			apiKey: get("OPENAI_API_KEY"),
			baseURL: get("OPENAI_BASE_URL"),
			name: get("CALLBOARD_MODEL"),
			fallbacks: get("CALLBOARD_FALLBACK_MODELS") ?? [],
		},
		secret: get("CALLBOARD_SECRET"),
		adminToken: get("CALLBOARD_ADMIN_TOKEN"),
		traces: { endpoint: get("OTEL_EXPORTER_OTLP_ENDPOINT"), service: get("OTEL_SERVICE_NAME") },
		allowedOrigins: get("CALLBOARD_ALLOWED_ORIGINS") ?? [],
		agent: get("CALLBOARD_AGENT"),
		log: get("CALLBOARD_LOG"),
		timeZone: get("CALLBOARD_TZ") ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
		debug: get("CALLBOARD_DEBUG"),
		key: (variable) => environment[variable] || file.values[variable] || undefined,
	};
}

/** Whether the environment asks for stacks; usable when the settings themselves are wrong. */
export function wantsStacks(): boolean {
	return process.env.CALLBOARD_DEBUG === "1";
}

/** The text of `.env.example`: every variable, commented, with its default. */
export function exampleEnv(): string {
	const blocks = variables.map(({ name, about, default: value }) => `# ${about}\n#${name}=${value}`);
	return `# Copy to .env and take away the # of what you change. The environment wins over this file.\n\n${blocks.join("\n\n")}\n`;
}

interface EnvFile {
	values: Record<string, string | undefined>;
	/** On which line each name stands. */
	lines: ReadonlyMap<string, number>;
}

function readEnvFile(root: string): EnvFile {
	const path = resolve(root, ".env");
	if (!existsSync(path)) return { values: {}, lines: new Map() };
	const content = readFileSync(path, "utf8");
	return { values: parseEnv(content), lines: checkLines(content) };
}

/** Node skips a line that it cannot read; a person wants to be told. */
function checkLines(content: string): Map<string, number> {
	const found = new Map<string, number>();
	let open: { quote: string; line: number } | undefined;
	for (const [index, line] of content.split(/\r?\n/).entries()) {
		if (open !== undefined) {
			if (line.includes(open.quote)) open = undefined;
			continue;
		}
		if (/^\s*(?:#|$)/.test(line)) continue;
		const match = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*)$/.exec(line);
		if (match === null) {
			throw badLine(
				index + 1,
				"this line is not a setting",
				"write NAME=value, or begin it with # to make it a comment",
			);
		}
		found.set(match[1] ?? "", index + 1);
		const quote = /^["'`]/.exec(match[2] ?? "")?.[0];
		if (quote !== undefined && !match[2]?.slice(1).includes(quote)) open = { quote, line: index + 1 };
	}
	if (open !== undefined) {
		throw badLine(open.line, `the quote ${open.quote} is never closed`, `end the value with ${open.quote}`);
	}
	return found;
}

function badLine(line: number, message: string, next: string): CallboardError {
	return new CallboardError("BAD_ENV_FILE", "operator", message, { where: `.env:${line}`, next });
}

function place(name: string, file: EnvFile | undefined): string {
	const line = file?.lines.get(name);
	return line === undefined ? "" : `.env:${line}: `;
}

function complaint(variable: Variable, given: string): string {
	const shown = variable.secret ? "" : `, not "${given.length > 40 ? `${given.slice(0, 40)}…` : given}"`;
	return `${variable.name} must be ${variable.must}${shown}`;
}

/** A name of ours with one letter wrong would silently do nothing. */
function misspelled(environment: ReadConfigOptions["environment"], file: EnvFile): string[] {
	const known = new Set<string>(variables.map(({ name }) => name));
	const given = [
		...Object.keys(environment ?? {}).filter((name) => name.startsWith("CALLBOARD_")),
		...file.lines.keys(),
	];
	return given.flatMap((name) => {
		const meant = known.has(name) ? undefined : [...known].find((each) => isNear(name, each));
		return meant === undefined ? [] : [`${place(name, file)}${name} is no setting, did you mean ${meant}?`];
	});
}

/** Whether one added, dropped, changed or swapped letter makes `a` into `b`. */
function isNear(a: string, b: string): boolean {
	if (Math.abs(a.length - b.length) > 1 || a.length < 5) return false;
	let start = 0;
	while (start < a.length && a[start] === b[start]) start += 1;
	const [restA, restB] = [a.slice(start), b.slice(start)];
	const swapped = `${restA[1] ?? ""}${restA[0] ?? ""}${restA.slice(2)}`;
	return restA.slice(1) === restB || restA === restB.slice(1) || restA.slice(1) === restB.slice(1) || swapped === restB;
}

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
