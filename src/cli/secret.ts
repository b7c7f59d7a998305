import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.js";
import { CallboardError } from "../errors.js";

/** The secret that signs visitor sessions in development: made once, kept in the data folder, so that a reload goes on. */
export function developmentSecret(config: Config): string {
	if (config.secret !== undefined) return config.secret;
	const path = join(config.data, "secret");
	try {
		mkdirSync(config.data, { recursive: true });
		writeFileSync(path, randomBytes(32).toString("hex"), { mode: 0o600, flag: isEmpty(path) ? "w" : "wx" });
	} catch (error) {
		if ((error as { code?: string }).code !== "EEXIST") throw unwritable(config, error);
	}
	try {
		return readFileSync(path, "utf8").trim();
	} catch (error) {
		throw unwritable(config, error);
	}
}

/** Whether a process died, or the disk was full, between making the file and writing it. */
function isEmpty(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.size === 0;
}

/** @throws CallboardError `NO_SECRET` when none is set */
export function productionSecret(config: Config): string {
	if (config.secret !== undefined) return config.secret;
	throw new CallboardError(
		"NO_SECRET",
		"operator",
		"CALLBOARD_SECRET is not set, so visitor sessions cannot be signed",
		{
			next: "set it to the output of `openssl rand -hex 32`, the same in every process",
		},
	);
}

function unwritable(config: Config, cause: unknown): CallboardError {
	return new CallboardError("DATA_UNWRITABLE", "operator", `the folder ${config.data} cannot be written`, {
		next: "correct its rights, or set CALLBOARD_DATA to another folder",
		cause,
	});
}
