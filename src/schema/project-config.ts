import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A configuration that exists only in memory: a project of just the agents and what they import. */
export interface VirtualConfig {
	/** Absolute path it pretends to have, beside the configuration it extends or beside the agents. */
	path: string;
	text: string;
	/** The agent files it opens, absolute. */
	files: readonly string[];
	/** The author's own configuration; absent when none includes the files. */
	extended?: string;
}

const NAME = "tsconfig.callboard-agents.json";

/** How an agent is compiled when no tsconfig includes it. */
const DEFAULTS = {
	target: "es2022",
	lib: ["es2023", "esnext.decorators", "esnext.disposable"],
	module: "nodenext",
	moduleResolution: "nodenext",
	jsx: "react-jsx",
	jsxImportSource: "callboard",
	types: ["*"],
	strict: true,
	allowJs: true,
	skipLibCheck: true,
};

/** Switches of the author's build that mean nothing while reading and may forbid a partial project. */
const READING = { noEmit: true, composite: false, incremental: false, declaration: false, emitDeclarationOnly: false };

/**
 * Plans the projects to open for `files`: one for each tsconfig that includes some of them, and one for each folder
 * whose files no tsconfig includes. `includedBy` tells the files of a tsconfig, absolute.
 */
export function planProjects(
	files: readonly string[],
	includedBy: (config: string) => readonly string[],
): readonly VirtualConfig[] {
	const known = new Map<string, readonly string[]>();
	const included = (config: string) => {
		const names = known.get(config) ?? includedBy(config);
		known.set(config, names);
		return names;
	};
	const groups = new Map<string, string[]>();
	for (const file of files) {
		const key = configOf(file, included) ?? dirname(file);
		groups.set(key, [...(groups.get(key) ?? []), file]);
	}
	return [...groups].map(([key, members]) => {
		if (!known.has(key)) {
			const config = { compilerOptions: { ...DEFAULTS, ...READING }, files: members, include: [] };
			return { path: join(key, NAME), text: JSON.stringify(config), files: members };
		}
		const ambient = included(key).filter(isAmbient);
		const config = { extends: key, compilerOptions: READING, files: [...members, ...ambient], include: [] };
		return {
			path: join(dirname(key), NAME),
			text: JSON.stringify({ ...config, references: [] }),
			files: members,
			extended: key,
		};
	});
}

/** A declaration file that speaks of everything at once; one that is a module is found by who imports it. */
function isAmbient(file: string): boolean {
	return /\.d\.[cm]?ts$/.test(file) && !/^\s*(import|export)\b/m.test(readFileSync(file, "utf8"));
}

/** The nearest tsconfig that includes the file: `tsconfig.json` first, then its siblings such as `tsconfig.app.json`. */
function configOf(file: string, included: (config: string) => readonly string[]): string | undefined {
	for (let folder = dirname(file); ; folder = dirname(folder)) {
		for (const config of configsIn(folder)) if (included(config).includes(file)) return config;
		if (dirname(folder) === folder) return undefined;
	}
}

function configsIn(folder: string): string[] {
	if (!existsSync(join(folder, "tsconfig.json"))) return [];
	const others = readdirSync(folder).filter((name) => /^tsconfig\..+\.json$/.test(name));
	return ["tsconfig.json", ...others.sort()].map((name) => join(folder, name));
}
