import { type ChildProcess, fork } from "node:child_process";
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildSync } from "esbuild";

const root = resolve(import.meta.dirname, "../..");
const compiled = new Map<string, string>();

/**
 * One plain file of a program of this folder, as a build makes it: what runs sources directly names every function as it
 * is made, which costs. Packages stay where they are.
 */
function compile(program: string): string {
	const known = compiled.get(program);
	if (known !== undefined) return known;
	const outfile = join(root, "node_modules/.cache/callboard-bench", `${process.pid}-${program.replace(".ts", ".mjs")}`);
	buildSync({
		entryPoints: [join(import.meta.dirname, program)],
		outfile,
		bundle: true,
		platform: "node",
		format: "esm",
		target: "es2022",
		packages: "external",
		conditions: ["callboard-source"],
		alias: { callboard: join(root, "src/index.ts") },
	});
	process.once("exit", () => rmSync(outfile, { force: true }));
	compiled.set(program, outfile);
	return outfile;
}

interface Answer {
	id: number;
	value?: unknown;
	error?: string;
}

/** A measured thing in a process of its own, so that nobody shares a heap or a compiler's guesses with another. */
export class Child {
	readonly #process: ChildProcess;
	readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
	#asked = 0;

	private constructor(process: ChildProcess) {
		this.#process = process;
		process.on("message", ({ id, value, error }: Answer) => {
			const waiting = this.#waiting.get(id);
			this.#waiting.delete(id);
			if (error === undefined) waiting?.resolve(value);
			else waiting?.reject(new Error(error));
		});
		process.once("exit", (code, signal) => {
			for (const { reject } of this.#waiting.values()) reject(new Error(`the child ended with ${code ?? signal}`));
			this.#waiting.clear();
		});
	}

	/** Starts a file of this folder and lets it get ready. */
	static async start(file: string, options: object): Promise<Child> {
		const child = new Child(fork(compile(file), { execArgv: ["--expose-gc", "--max-semi-space-size=64"], cwd: root }));
		await child.ask("start", options);
		return child;
	}

	ask<T>(operation: string, argument: unknown = {}): Promise<T> {
		const id = ++this.#asked;
		return new Promise<T>((resolve, reject) => {
			this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
			this.#process.send({ id, operation, argument });
		});
	}

	/** Lets it do nothing at all until `thaw`. */
	freeze(): void {
		this.#process.kill("SIGSTOP");
	}

	thaw(): void {
		this.#process.kill("SIGCONT");
	}

	/** Ends it as a power cut would. */
	kill(): Promise<void> {
		return this.#end("SIGKILL");
	}

	async stop(): Promise<void> {
		await this.ask("stop");
		await this.#end("SIGTERM");
	}

	#end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
		const exit = new Promise<void>((resolve) => this.#process.once("exit", () => resolve()));
		this.#process.kill(signal);
		return exit;
	}
}
