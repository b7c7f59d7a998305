import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Clock, pause, systemClock } from "../clock.js";
import { TelegramChats, type TelegramSeen } from "./telegram-chats.js";
import { type TelegramFault, TelegramRefusal } from "./telegram-faults.js";
import { readParams, type TelegramParams } from "./telegram-form.js";
import { type MethodWorld, telegramMethods } from "./telegram-methods.js";
import { TelegramPerson } from "./telegram-person.js";
import { TelegramUpdates } from "./telegram-updates.js";

export interface TelegramServerOptions {
	/** Default `42:TEST`. */
	token?: string;
	/** User name of the bot, without `@`. Default `callboard_bot`. */
	username?: string;
	/** Times long polls, retries of the webhook and late answers. Default: the system's. */
	clock?: Clock;
	/** Wait before an update that the webhook refused comes again, in ms; doubled each time. Default 1000. */
	webhookRetryMs?: number;
}

/** One request a bot made. */
export interface TelegramCall {
	method: string;
	/** The chat it was about, if any. */
	chat: string | undefined;
	params: TelegramParams;
	at: number;
}

/**
 * Starts a local stand-in of the Telegram Bot API on a free port of this machine: long polling, webhooks, messages,
 * buttons and files, with the platform's own limits and error texts, people with phones, and failures on demand.
 *
 * ```ts
 * const telegram = await startTelegramServer();
 * const ana = telegram.person({ id: 7001, name: "Ana" });
 * // a bot with { token: telegram.token, apiRoot: telegram.apiRoot } …
 * ana.says("hola");
 * await telegram.until(() => telegram.texts(ana.chat).includes("¡Hola!"));
 * await telegram.stop();
 * ```
 */
export async function startTelegramServer(options: TelegramServerOptions = {}): Promise<TelegramServer> {
	const server = new TelegramServer(options);
	await server.listen();
	return server;
}

export class TelegramServer {
	readonly token: string;
	readonly chats: TelegramChats;
	readonly updates: TelegramUpdates;
	/** Bytes of files by id. */
	readonly files = new Map<string, Buffer>();
	/** Every request, oldest first. */
	readonly calls: TelegramCall[] = [];
	readonly #clock: Clock;
	readonly #http: Server;
	readonly #faults: { method: string; chat: string | undefined; fault: TelegramFault }[] = [];
	readonly #taps = new Map<string, number>();
	readonly #watchers = new Set<() => void>();
	#commands: unknown;
	#ids = 0;

	constructor(options: TelegramServerOptions) {
		this.token = options.token ?? "42:TEST";
		this.#clock = options.clock ?? systemClock;
		const username = options.username ?? "callboard_bot";
		const id = Number(this.token.split(":")[0]);
		this.chats = new TelegramChats({ id, is_bot: true, first_name: "Callboard", username }, this.#clock);
		this.updates = new TelegramUpdates({
			clock: this.#clock,
			changed: () => this.#tell(),
			retryMs: options.webhookRetryMs ?? 1000,
		});
		this.#http = createServer((request, response) => void this.#answer(request, response));
	}

	/** Where it is reached: give it to the bot as `apiRoot`. */
	get apiRoot(): string {
		return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
	}

	listen(): Promise<void> {
		return new Promise((resolve) => this.#http.listen(0, "127.0.0.1", resolve));
	}

	/** Cuts every connection and stops. */
	async stop(): Promise<void> {
		this.updates.stop();
		await new Promise((resolve) => {
			this.#http.close(resolve);
			this.#http.closeAllConnections();
		});
	}

	/** Somebody who has started the bot. */
	person(person: { id: number; name: string; family?: string; username?: string; language?: string }): TelegramPerson {
		const user = {
			id: person.id,
			is_bot: false,
			first_name: person.name,
			...(person.family !== undefined && { last_name: person.family }),
			...(person.username !== undefined && { username: person.username }),
			...(person.language !== undefined && { language_code: person.language }),
		};
		this.chats.addPerson(user);
		return new TelegramPerson(this, user);
	}

	/** A group with the bot in it. `topics` makes it a forum; `basic`: not a supergroup. @returns its id */
	group(group: { id: number; title?: string; topics?: readonly number[]; basic?: boolean }): number {
		const { id, title = "A group", topics, basic = false } = group;
		this.chats.addGroup({ id, title, basic, forum: topics !== undefined, topics: topics ?? [] });
		return id;
	}

	/** What is visible in a chat, or in one topic of it, oldest first. */
	sees(chat: number, topic?: number): readonly TelegramSeen[] {
		return this.chats.seen(chat, topic);
	}

	/** The texts of the bot in a chat, as a person reads them now. */
	texts(chat: number, topic?: number): readonly string[] {
		return this.sees(chat, topic)
			.filter((message) => message.own)
			.map((message) => message.text);
	}

	/**
	 * Makes the next requests of a method fail, one each, in this order.
	 * @param where only those about this chat; undefined for any
	 */
	fail(method: string, where: number | undefined, ...faults: readonly TelegramFault[]): void {
		const chat = where === undefined ? undefined : String(where);
		this.#faults.push(...faults.map((fault) => ({ method, chat, fault })));
	}

	/** Requests of one method, oldest first, about one chat or any. */
	callsOf(method: string, chat?: number): readonly TelegramCall[] {
		return this.calls.filter((call) => call.method === method && (chat === undefined || call.chat === String(chat)));
	}

	/** What was last set with `setMyCommands`. */
	get commands(): unknown {
		return this.#commands;
	}

	/** Resolves as soon as `holds` is true; it is asked again whenever anything has happened here. */
	until(holds: () => boolean): Promise<void> {
		if (holds()) return Promise.resolve();
		return new Promise((resolve) => {
			const look = () => {
				if (!holds()) return;
				this.#watchers.delete(look);
				resolve();
			};
			this.#watchers.add(look);
		});
	}

	/** A tap that waits for its answer. */
	tapped(id: string): void {
		this.#taps.set(id, this.#clock.now());
	}

	nextId(): number {
		this.#ids += 1;
		return this.#ids;
	}

	#tell(): void {
		for (const look of [...this.#watchers]) look();
	}

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const url = new URL(request.url ?? "/", "http://127.0.0.1");
		const chunks: Buffer[] = [];
		try {
			for await (const chunk of request) chunks.push(chunk as Buffer);
		} catch {
			return;
		}
		const file = /^\/file\/bot([^/]+)\/files\/(.+)$/.exec(url.pathname);
		if (file !== null) return this.#file(file[1] ?? "", file[2] ?? "", response);
		const call = /^\/bot([^/]+)\/(\w+)$/.exec(url.pathname);
		if (call === null) return refuse(response, new TelegramRefusal(404, "Not Found"));
		if (decodeURIComponent(call[1] ?? "") !== this.token)
			return refuse(response, new TelegramRefusal(401, "Unauthorized"));
		const params = readParams(url.searchParams, request.headers["content-type"] ?? "", Buffer.concat(chunks));
		await this.#carryOut(call[2] ?? "", params, response);
		this.#tell();
	}

	async #carryOut(method: string, params: TelegramParams, response: ServerResponse): Promise<void> {
		const chat = params.chat_id === undefined ? undefined : String(params.chat_id);
		this.calls.push({ method, chat, params, at: this.#clock.now() });
		this.#tell();
		const fault = this.#nextFault(method, chat);
		if (fault !== undefined && "cut" in fault && fault.cut === "before") return void response.destroy();
		if (fault !== undefined && "page" in fault) {
			response.writeHead(fault.page, { "content-type": "text/html" }).end("<html>Bad Gateway</html>");
			return;
		}
		try {
			if (fault !== undefined && "answer" in fault) {
				const { code, description, parameters } = fault.answer;
				throw new TelegramRefusal(code, description, parameters);
			}
			const run = telegramMethods[method];
			if (run === undefined) throw new TelegramRefusal(404, "Not Found: method not found");
			const result = await run(params, this.#world(response));
			this.#tell();
			if (fault !== undefined && "cut" in fault) return void response.destroy();
			if (fault !== undefined && "slowMs" in fault) await pause(this.#clock, fault.slowMs);
			json(response, 200, { ok: true, result });
		} catch (error) {
			if (!(error instanceof TelegramRefusal)) throw error;
			refuse(response, error);
		}
	}

	#world(response: ServerResponse): MethodWorld {
		const { chats, updates, files } = this;
		const setCommands = (commands: unknown) => {
			this.#commands = commands;
		};
		return {
			chats,
			updates,
			files,
			taps: this.#taps,
			set commands(commands: unknown) {
				setCommands(commands);
			},
			now: () => this.#clock.now(),
			gone: (run) => response.on("close", run),
		};
	}

	#nextFault(method: string, chat: string | undefined): TelegramFault | undefined {
		const index = this.#faults.findIndex(
			(each) => each.method === method && (each.chat === undefined || each.chat === chat),
		);
		return index < 0 ? undefined : this.#faults.splice(index, 1)[0]?.fault;
	}

	#file(token: string, id: string, response: ServerResponse): void {
		const bytes = this.files.get(id);
		if (token !== this.token || bytes === undefined) response.writeHead(404).end();
		else response.writeHead(200, { "content-type": "application/octet-stream" }).end(bytes);
	}
}

function refuse(response: ServerResponse, { code, message, parameters }: TelegramRefusal): void {
	json(response, code, {
		ok: false,
		error_code: code,
		description: message,
		...(parameters !== undefined && { parameters }),
	});
}

function json(response: ServerResponse, status: number, body: unknown): void {
	if (response.destroyed) return;
	response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
