import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { type Variable, variables } from "./config-variables.js";
import { CallboardError } from "./errors.js";

/** The settings of one process, checked. Made by `readConfig` only. */
export interface Config {
	/** The project's folder, absolute. */
	root: string;
	port: number;
	host: string;
	/** How many reverse proxies stand in front, whose word on the visitor's address is taken. */
	trustProxy: number;
	backend: "embedded" | "redis";
	/** Of one Redis, or of some nodes of a cluster. */
	redisUrls: readonly string[] | undefined;
	/** Turns run at once in one process, and chats sent to at once. */
	concurrency: number;
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
	/** What the web chat looks like, where it is not by default. */
	web: { title: string | undefined; accent: string | undefined };
	/** Sites that may open the web chat besides the server's own. */
	allowedOrigins: readonly string[];
	telegram: {
		token: string | undefined;
		/** Set together or not at all; updates are polled without them. */
		webhook: { url: string; secret: string } | undefined;
		/** Another server of the Bot API. */
		apiRoot: string | undefined;
	};
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
	if (values.has("TELEGRAM_WEBHOOK_URL") && !values.has("TELEGRAM_WEBHOOK_SECRET"))
		wrong.push("TELEGRAM_WEBHOOK_SECRET must be set, or anyone could post updates in Telegram's name");
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
		trustProxy: get("CALLBOARD_TRUST_PROXY"),
		backend: get("CALLBOARD_BACKEND") ?? (values.has("REDIS_URL") ? "redis" : "embedded"),
		redisUrls: get("REDIS_URL"),
		concurrency: get("CALLBOARD_CONCURRENCY"),
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
		web: { title: get("CALLBOARD_TITLE"), accent: get("CALLBOARD_ACCENT") },
		allowedOrigins: get("CALLBOARD_ALLOWED_ORIGINS") ?? [],
		telegram: {
			token: get("TELEGRAM_TOKEN"),
			webhook: values.has("TELEGRAM_WEBHOOK_URL")
				? { url: get("TELEGRAM_WEBHOOK_URL"), secret: get("TELEGRAM_WEBHOOK_SECRET") }
				: undefined,
			apiRoot: get("TELEGRAM_API_ROOT"),
		},
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
	const content = textOf(path);
	return { values: parseEnv(content), lines: checkLines(content) };
}

/** Editors of Windows put a mark in front, which would become part of the first name, or write two bytes a letter. */
function textOf(path: string): string {
	let content: string;
	try {
		content = readFileSync(path, "utf8");
	} catch (cause) {
		throw new CallboardError("BAD_ENV_FILE", "operator", "it cannot be read", {
			where: path,
			next: "see that it is a file that this user may read",
			cause,
		});
	}
	if (content.includes("\0")) {
		throw new CallboardError("BAD_ENV_FILE", "operator", "it is not UTF-8 text", {
			where: path,
			next: "save it again with the encoding UTF-8",
		});
	}
	return content.replace(/^\ufeff/, "");
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
		const name = match[1] ?? "";
		if (isSetting(name) && /^#\S/.test(match[2] ?? "")) {
			throw badLine(index + 1, `behind # stands a comment, so ${name} is empty`, `put quotes around it: ${name}="#…"`);
		}
		found.set(name, index + 1);
		const quote = /^["'`]/.exec(match[2] ?? "")?.[0];
		if (quote !== undefined && !match[2]?.slice(1).includes(quote)) open = { quote, line: index + 1 };
	}
	if (open !== undefined) {
		throw badLine(open.line, `the quote ${open.quote} is never closed`, `end the value with ${open.quote}`);
	}
	return found;
}

function isSetting(name: string): boolean {
	return variables.some((each) => each.name === name);
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
