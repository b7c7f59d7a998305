import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { NodeNews, NodeOrder } from "./node-order.js";
import { startProgram } from "./program.js";

export interface SlotOptions {
	file: string;
	order: Omit<NodeOrder, "log">;
	/** Where the process logs and prints. */
	folder: string;
	/** Told of every turn that begins here. */
	asked(address: string, by: string): void;
	/** Told when a process is ready, and how long it took, ms. */
	started(ms: number): void;
	/** Told when the process ended by itself, or badly; `inStart`: before it was ready. */
	ended(how: string, inStart: boolean): void;
}

const AGAIN_MS = 300;
const STOPPED_WITHIN_MS = 20_000;

/** A place for one process, which is started again whenever it ends, as a supervisor would. */
export class Slot {
	readonly name: string;
	readonly role: NodeOrder["role"];
	/** Addresses whose turn runs here now. */
	readonly turns = new Set<string>();
	readonly #options: SlotOptions;
	#child: ChildProcess | undefined;
	#port: number | undefined;
	#over = false;
	#meant = false;

	constructor(options: SlotOptions) {
		this.#options = options;
		this.name = options.order.name;
		this.role = options.order.role;
	}

	/** Where it accepts messages; undefined while it is down. */
	get port(): number | undefined {
		return this.#port;
	}

	/** How the present process signs what it does. */
	get by(): string {
		return `${this.name}#${this.#child?.pid}`;
	}

	/** Starts a process and resolves when it is ready, or has ended. */
	start(): Promise<void> {
		const { file, order, folder } = this.#options;
		const began = Date.now();
		const child = startProgram(file, { ...order, log: `${folder}/${order.name}.log` }, `${folder}/${order.name}.out`);
		this.#child = child;
		this.#meant = false;
		this.turns.clear();
		const ready = new Promise<void>((resolve) => {
			child.on("message", (news: NodeNews) => {
				this.#take(news);
				if (!("ready" in news)) return;
				this.#options.started(Date.now() - began);
				resolve();
			});
			child.once("exit", () => resolve());
		});
		child.once("exit", (code, signal) => void this.#exited(code, signal, this.#port === undefined));
		return ready;
	}

	#take(news: NodeNews): void {
		if ("ready" in news) this.#port = news.port;
		else if ("settled" in news) this.turns.delete(news.settled);
		else {
			this.turns.add(news.asked);
			this.#options.asked(news.asked, this.by);
		}
	}

	async #exited(code: number | null, signal: string | null, inStart: boolean): Promise<void> {
		this.#port = undefined;
		this.turns.clear();
		if (!this.#meant) {
			this.#options.ended(`${this.name} ended by itself: ${signal ?? `exit status ${code}`}`, inStart);
			await sleep(AGAIN_MS);
		}
		if (!this.#over) await this.start();
	}

	/** @returns the addresses whose turns were running */
	kill(): readonly string[] {
		const running = [...this.turns];
		this.#meant = true;
		this.#port = undefined;
		this.#child?.kill("SIGKILL");
		return running;
	}

	/** Asks the process to stop, which it must do in good order and in time. */
	async drain(): Promise<void> {
		const child = this.#child;
		if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
		this.#meant = true;
		this.#port = undefined;
		const exited = once(child, "exit");
		child.kill("SIGTERM");
		const late = setTimeout(() => child.kill("SIGKILL"), STOPPED_WITHIN_MS);
		const [code, signal] = await exited;
		clearTimeout(late);
		if (code !== 0)
			this.#options.ended(`${this.name} did not stop in good order: ${signal ?? `exit status ${code}`}`, false);
	}

	/** Holds the process still for a while; then it goes on as if nothing had happened. */
	async freeze(ms: number): Promise<void> {
		const child = this.#child;
		child?.kill("SIGSTOP");
		await sleep(ms);
		child?.kill("SIGCONT");
	}

	/** Ends it at once and starts nothing again. */
	abandon(): void {
		this.#over = true;
		this.kill();
	}

	/** Drains it and starts nothing again. */
	async stop(): Promise<void> {
		this.#over = true;
		await this.drain();
	}
}
