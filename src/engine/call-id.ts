import { createHash } from "node:crypto";
import type { Claimed } from "./backend.js";

/**
 * The id of the call that a claim's turn may begin. It follows from what the turn is about, so that a turn which is run
 * again, because its process died, means the same call, before anything of it is on record.
 */
export function callIdOf({ lease, position, items }: Pick<Claimed, "lease" | "position" | "items">): string {
	const first = items[0];
	const at = first?.type === "message" ? (first.acceptedAt ?? first.sentAt) : first?.at;
	const about = JSON.stringify([lease.address, position, first?.id, at]);
	const hex = createHash("sha256").update(about).digest("hex");
	return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
}
