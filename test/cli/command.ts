import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const main = join(root, "src/cli/main.ts");
const loader = import.meta.resolve("tsx");

/** A project of its own on disk, with this package installed in it. */
export interface Project {
	folder: string;
	write(files: Readonly<Record<string, string>>): void;
	remove(): void;
}

export function project(files: Readonly<Record<string, string>>): Project {
	const folder = mkdtempSync(join(tmpdir(), "callboard-cli-"));
	const write: Project["write"] = (given) => {
		for (const [name, content] of Object.entries(given)) {
			mkdirSync(dirname(join(folder, name)), { recursive: true });
			writeFileSync(join(folder, name), content);
		}
	};
	mkdirSync(join(folder, "node_modules"));
	symlinkSync(root, join(folder, "node_modules/callboard"));
	const compilerOptions = {
		target: "es2022",
		lib: ["es2023", "esnext.decorators"],
		module: "nodenext",
		strict: true,
		jsx: "react-jsx",
		jsxImportSource: "callboard",
		customConditions: ["callboard-source"],
		skipLibCheck: true,
		noEmit: true,
		types: [],
	};
	write({
		"package.json": JSON.stringify({ name: "a-project", type: "module" }),
		"tsconfig.json": JSON.stringify({ compilerOptions, include: ["agents"] }),
		...files,
	});
	return { folder, write, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export interface Ended {
	code: number | null;
	out: string;
	err: string;
}

export interface Running {
	process: ChildProcess;
	/** Resolves once standard output holds the words. Rejects with all output when it ends before. */
	says(words: string): Promise<string>;
	ended: Promise<Ended>;
}

/** The command as a process of its own, with no setting but those given. */
export function callboard(
	args: readonly string[],
	given: { cwd: string; env?: Record<string, string>; input?: string },
): Running {
	const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", TZ: "UTC", ...given.env };
	const child = spawn(process.execPath, ["-C", "callboard-source", "--import", loader, main, ...args], {
		cwd: given.cwd,
		env,
	});
	let out = "";
	let err = "";
	const watchers = new Set<() => void>();
	child.stdout.on("data", (piece) => {
		out += piece;
		for (const look of [...watchers]) look();
	});
	child.stderr.on("data", (piece) => {
		err += piece;
	});
	if (given.input === undefined) child.stdin.end();
	else child.stdin.end(given.input);
	const ended = new Promise<Ended>((done) => child.on("close", (code) => done({ code, out, err })));
	const says = (words: string) =>
		new Promise<string>((resolve, reject) => {
			const look = () => {
				if (!out.includes(words)) return;
				watchers.delete(look);
				resolve(out);
			};
			watchers.add(look);
			void ended.then(() => reject(new Error(`it ended without saying "${words}":\n${out}\n${err}`)));
			look();
		});
	return { process: child, says, ended };
}

/** A TCP port that is free now. */
export async function freePort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as { port: number };
	await new Promise((resolve) => server.close(resolve));
	return port;
}

/** A small agent with stages, in its own words. */
export const bakery = `
import { Agent, type Stages, tool } from "callboard";

/** You take orders for a bakery. */
export default class Bakery extends Agent {
	stage: Stages<"order" | "done"> = "order";
	cakes = 0;
	greeting = "Welcome to the bakery.";

	/**
	 * Orders cakes.
	 * @param count How many.
	 */
	@tool({ stage: "order" })
	order(count: number): number {
		this.cakes += count;
		this.stage = "done";
		return this.cakes;
	}

	/** Tells the opening hours. */
	@tool({ effect: "read" })
	hours(): string {
		return "8 to 5";
	}

	render() {
		return <p>Cakes so far: {this.cakes}.</p>;
	}
}
`;

export const bakeryDemo = `
script: bakery
rules:
  - when: { after: order }
    say: "That makes {{result}} cakes."
  - when: { said: '(?<count>\\d+) cakes' }
    call: { order: { count: "{{count | number}}" } }
otherwise: How many cakes?
`;
