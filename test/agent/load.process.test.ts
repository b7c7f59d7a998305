import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "callboard-load-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const good = (name: string, more = "") => `import { Agent, tool } from "callboard";
/** An agent. */
export default class ${name} extends Agent {
	${more}
	/** Says hello. */
	@tool()
	hello(name: string) { return name; }
}
`;

/** Projects by name: their files, and which of them to load when not all. */
const projects: Record<string, { files: Record<string, string>; load?: string[] }> = {
	good: {
		files: {
			"agents/desk/agent.ts": good("Desk"),
			"agents/old/agent.jsx": good("Old", 'static slug = "older";')
				.replace("(name: string)", "()")
				.replace("return name;", ""),
			"agents/support/agent.ts": `import { callboard } from "callboard";
export default callboard().agent("support", { llm: { prompt: "Help." } });
`,
			"agents/notes/readme.md": "No agent here.",
		},
	},
	linked: { files: { "shared/desk/agent.ts": good("Desk"), "agents/readme.md": "Nothing." } },
	passedOn: {
		files: {
			"agents/desk/agent.ts": 'export { default } from "./desk.js";\n',
			"agents/desk/desk.ts": good("Desk"),
		},
	},
	empty: { files: { "readme.md": "Nothing." } },
	file: { files: { agents: "A file." } },
	missing: { files: {}, load: ["agents/none/agent.ts"] },
	syntax: { files: { "agents/desk/agent.ts": good("Desk", "broken = ;") } },
	noDefault: { files: { "agents/desk/agent.ts": "export const a = 1;\n" } },
	notAgent: { files: { "agents/desk/agent.ts": "export default class Desk {}\n" } },
	throws: { files: { "agents/desk/agent.ts": "const a = 1;\nthrow new Error('no key');\n" } },
	plainJs: { files: { "agents/desk/agent.js": good("Desk").replace("(name: string)", "()").replace("name", "1") } },
	badImport: { files: { "agents/desk/agent.ts": 'import "./gone.js";\nexport default 1;\n' } },
	duplicate: {
		files: { "agents/a/agent.ts": good("Desk"), "agents/b/agent.ts": good("Other", 'static slug = "desk";') },
	},
	react: {
		files: { "agents/desk/agent.tsx": good("Desk", "render() { return <p>hello</p>; }") },
	},
	pragma: {
		files: {
			"agents/desk/agent.tsx": `/** @jsxRuntime automatic @jsxImportSource callboard */\n${good("Desk", "render() { return <p>hello</p>; }")}`,
		},
	},
	refused: { files: { "agents/desk/agent.ts": good("Desk").replace("/** Says hello. */", "") } },
	misspelled: {
		files: {
			"agents/desk/agent.jsx": `import { Agent, stages, tool } from "callboard";
/** An agent. */
export default class Desk extends Agent {
	stage = stages("greet", "quote");
	/** Free hours. */
	@tool({ stage: "qoute" })
	slots() {}
}
`,
		},
	},
};

const tsconfig = JSON.stringify({
	compilerOptions: {
		target: "es2022",
		lib: ["es2023", "esnext.decorators"],
		module: "nodenext",
		strict: true,
		allowJs: true,
		jsx: "react-jsx",
		jsxImportSource: "callboard",
		customConditions: ["callboard-source"],
	},
});
const results: Record<string, unknown> = {};

beforeAll(async () => {
	for (const [name, { files }] of Object.entries(projects)) {
		mkdirSync(join(folder, name, "node_modules"), { recursive: true });
		symlinkSync(repository, join(folder, name, "node_modules/callboard"));
		for (const [file, text] of Object.entries({
			"package.json": '{"type":"module"}',
			"tsconfig.json": tsconfig,
			...files,
		})) {
			mkdirSync(dirname(join(folder, name, file)), { recursive: true });
			writeFileSync(join(folder, name, file), text);
		}
	}
	symlinkSync(join(folder, "linked/shared/desk"), join(folder, "linked/agents/desk"));
	const options = Object.entries(projects).map(([name, { load }]) => ({
		root: join(folder, name),
		...(load ? { files: load } : {}),
	}));
	const { stdout } = await promisify(execFile)(
		process.execPath,
		["-C", "callboard-source", "--import", "tsx", join(import.meta.dirname, "load-runner.ts"), JSON.stringify(options)],
		{ cwd: repository },
	);
	const all = JSON.parse(stdout) as unknown[];
	for (const [index, name] of Object.keys(projects).entries()) results[name] = all[index];
});

test("classes in TypeScript and JavaScript and agents of callboard() are loaded side by side", () => {
	expect(results.good).toEqual(["desk (Desk)", "older (Old)", "support (support)"]);
	expect(results.pragma).toEqual(["desk (Desk)"]);
	expect(results.linked).toEqual(["desk (Desk)"]);
	expect(results.passedOn).toEqual(["desk (Desk)"]);
});

test.each([
	["empty", /^NO_AGENTS there is no agent in .*agents; write one in agents\/<name>\/agent\.tsx/],
	["file", /^NO_AGENTS there is no agent in/],
	["missing", /^NO_AGENT_FILE .*there is no agent file agents\/none\/agent\.ts; check the path$/],
	["syntax", /^BAD_AGENT_FILE agents\/desk\/agent\.ts:4 cannot be loaded: Unexpected ";"; correct it/],
	["noDefault", /^NO_AGENT agents\/desk\/agent\.ts has no default export; write export default class/],
	["notAgent", /^NO_AGENT .* exports something by default that is no agent/],
	["throws", /^BAD_AGENT_FILE agents\/desk\/agent\.ts:2 cannot be loaded: no key; correct it/],
	[
		"plainJs",
		/^BAD_AGENT_FILE agents\/desk\/agent\.js cannot be loaded: .*rename it to \.jsx, for Node reads \.js as it is$/,
	],
	["badImport", /^BAD_AGENT_FILE agents\/desk\/agent\.ts cannot be loaded: Cannot find module/],
	["duplicate", /^DUPLICATE_AGENT agents\/b\/agent\.ts and agents\/a\/agent\.ts both make the agent desk; give/],
	[
		"react",
		/^JSX_FOR_REACT agents\/desk\/agent\.tsx has JSX that was compiled for React; set "jsx": "react-jsx" .*@jsxRuntime automatic @jsxImportSource callboard/,
	],
	["refused", /agents\/desk\/agent\.ts:\d.*tool Desk\.hello has no docstring/],
	[
		"misspelled",
		/^UNKNOWN_STAGE agents\/desk\/agent\.jsx:\d+: tool slots of Desk names the stage "qoute".*did you mean "quote"\?/,
	],
])("a project that is %s is refused in one message", (name, message) => {
	expect(results[name]).toMatch(message);
});
