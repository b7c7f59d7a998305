import { InvalidArgumentError } from "commander";
import type { Role } from "../engine/runtime.js";

const ROLES: readonly Role[] = ["gateway", "worker", "sender"];

/** Reads `--only`: roles with commas between them, or given one after the other. */
export function roles(text: string, before: readonly Role[] = []): readonly Role[] {
	const names = text.split(",").map((name) => name.trim());
	const unknown = names.find((name) => !ROLES.includes(name as Role));
	if (unknown !== undefined) throw new InvalidArgumentError(`"${unknown}" is none of ${ROLES.join(", ")}.`);
	return [...new Set([...before, ...(names as Role[])])];
}
