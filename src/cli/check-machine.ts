import { accessSync, constants, existsSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import type { Config } from "../config.js";
import { CallboardError } from "../errors.js";
import { loadManifest } from "../schema/manifest-file.js";
import { type Finding, fail, ok, warn } from "./finding.js";
import { builtFolder, manifestName } from "./project-agents.js";

const OLDEST_NODE = [20, 19] as const;

/** Whether this Node is new enough. */
export function checkNode(version: string = process.versions.node): Finding {
	const [major = 0, minor = 0] = version.split(".").map(Number);
	const fits = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
	if (fits) return ok("node", `Node ${version}`);
	return fail("node", `Node ${version} is too old`, `install Node ${OLDEST_NODE.join(".")} or newer`);
}

/** Whether what `callboard build` wrote is there and fits the sources. */
export async function checkManifest({ root }: Config): Promise<Finding> {
	const path = join(root, builtFolder, manifestName);
	const next = "run `callboard build` before `callboard start`";
	if (!existsSync(path)) return warn("build", "nothing is built, which only production needs", next);
	try {
		await loadManifest({ root, files: [], manifest: path });
		return ok("build", "the manifest fits the sources");
	} catch (error) {
		if (error instanceof CallboardError) return warn("build", error.message, next);
		throw error;
	}
}

/** Whether the data folder can be written, or made. */
export function checkData({ data }: Config): Finding {
	let folder = data;
	while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
	try {
		accessSync(folder, constants.W_OK | constants.X_OK);
		return ok("data", `calls can be kept in ${data}`);
	} catch {
		return fail("data", `${folder} cannot be written`, "correct its rights, or set CALLBOARD_DATA to another folder");
	}
}

/** Whether the port can be listened at. */
export function checkPort({ port, host }: Config): Promise<Finding> {
	return new Promise((resolve) => {
		const server = createServer();
		server.once("error", (error: Error & { code?: string }) => {
			const why = error.code === "EADDRINUSE" ? "is in use" : `cannot be listened at (${error.code})`;
			resolve(fail("port", `port ${port} of ${host} ${why}`, "stop what uses it, or set PORT to another"));
		});
		server.listen(port, host, () => server.close(() => resolve(ok("port", `port ${port} of ${host} is free`))));
	});
}

/** Whether visitor sessions can be signed in production. */
export function checkSecret({ secret }: Config): Finding {
	if (secret !== undefined) return ok("secret", "visitor sessions are signed with CALLBOARD_SECRET");
	const says = "CALLBOARD_SECRET is not set, which only production needs";
	return warn("secret", says, "set it to the output of `openssl rand -hex 32` before `callboard start`");
}
