import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildSync } from "esbuild";
import { systemClock } from "../../src/clock.js";
import type { AddressView } from "../../src/engine/backend.js";
import { embedded } from "../../src/engine/embedded/embedded.js";
import { silentLog } from "../../src/observe/log.js";
import { assertGlobalProperties } from "../../src/testing/global-properties.js";
import type { ChildOrder, LedgerLine } from "./fixtures/engine-child.js";

const root = resolve(import.meta.dirname, "../..");

const built = new Map<string, string>();

/** One plain file of a fixture, so that its process starts in a moment. */
function bundle(file: string): string {
	const known = built.get(file);
	if (known !== undefined) return known;
	const outfile = join(root, "node_modules/.cache/callboard-test", `${process.pid}-${file.replace(".ts", ".mjs")}`);
	buildSync({
		entryPoints: [join(import.meta.dirname, "fixtures", file)],
		outfile,
		bundle: true,
		platform: "node",
		format: "esm",
		packages: "external",
		conditions: ["callboard-source"],
	});
	process.once("exit", () => rmSync(outfile, { force: true }));
	built.set(file, outfile);
	return outfile;
}

/**
 * Starts a file of `fixtures/` as a process of its own.
 * @param shell what bash does first
 */
export function startNode(file: string, args: readonly string[], shell = ""): ChildProcess {
	const words = [process.execPath, bundle(file), ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
	return spawn("bash", ["-c", `${shell} exec ${words.join(" ")}`], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
}

/** What became of a process, with all it printed. */
export async function ended(child: ChildProcess): Promise<{ signal: string | null; code: number | null; out: string }> {
	let out = "";
	child.stdout?.on("data", (piece) => {
		out += piece;
	});
	child.stderr?.on("data", (piece) => {
		out += piece;
	});
	const [code, signal] = await once(child, "close");
	return { code, signal, out };
}

type Line<W extends LedgerLine["what"]> = Extract<LedgerLine, { what: W }>;

/** A store and a ledger that outlive processes. */
export class Scene {
	readonly folder = mkdtempSync(join(tmpdir(), "callboard-kill-"));
	readonly path = join(this.folder, "store");
	readonly ledger = join(this.folder, "ledger");

	constructor() {
		writeFileSync(this.ledger, "");
	}

	start(order: Omit<ChildOrder, "path" | "ledger">): ChildProcess {
		return startNode("engine-child.ts", [JSON.stringify({ path: this.path, ledger: this.ledger, ...order })]);
	}

	/** Runs a process that must kill itself. */
	async dies(order: Omit<ChildOrder, "path" | "ledger">): Promise<void> {
		const { signal, out } = await ended(this.start(order));
		if (signal !== "SIGKILL") throw new Error(`the process was to die, but ended otherwise: ${out}`);
	}

	/** Runs a process until nothing is left to do. */
	async finishes(order: Omit<ChildOrder, "path" | "ledger"> = { messages: [] }): Promise<void> {
		const { code, out } = await ended(this.start(order));
		if (code !== 0) throw new Error(`the process failed: ${out}`);
	}

	lines<W extends LedgerLine["what"]>(what: W): readonly Line<W>[] {
		const all = readFileSync(this.ledger, "utf8")
			.split("\n")
			.filter(Boolean)
			.map((line) => JSON.parse(line) as LedgerLine);
		return all.filter((line): line is Line<W> => line.what === what);
	}

	delivered(chat: string): readonly string[] {
		return this.lines("delivered")
			.filter(({ address }) => address === `fake|${chat}`)
			.map(({ text }) => text);
	}

	/** Looks at one address with no process running. */
	async view(chat: string): Promise<AddressView> {
		const backend = embedded({ path: this.path, clock: systemClock, log: silentLog });
		await backend.open();
		try {
			return await backend.view(`fake|${chat}`, { history: 1_000 });
		} finally {
			await backend.close();
		}
	}

	/** What must hold holds; then everything is removed. */
	async end(accepted?: ReadonlyMap<string, readonly string[]>): Promise<void> {
		const backend = embedded({ path: this.path, clock: systemClock, log: silentLog });
		await backend.open();
		try {
			const texts = [readFileSync(this.ledger, "utf8")];
			await assertGlobalProperties(backend, {
				delivered: this.lines("delivered"),
				texts,
				...(accepted && { accepted }),
			});
		} finally {
			await backend.close();
			if (existsSync(this.folder)) rmSync(this.folder, { recursive: true });
		}
	}
}
