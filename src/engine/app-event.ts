import type { AgentDeclaration } from "../agent/declaration.js";
import type { Json } from "../call/json.js";
import type { Occurrence } from "../call/message.js";
import { plainCopy } from "../call/plain.js";
import { CallboardError } from "../errors.js";

type AppEvent = Extract<Occurrence["occurrence"], { kind: "event" }>;

const LONGEST_NAME = 200;
/** Largest data of an event, in characters of JSON: it is kept in the inbox, and nobody needs a file there. */
const LARGEST_DATA = 64 * 1024;

/**
 * An event of the application, checked before it is stored: refused later, nobody would hear of it.
 * @throws CallboardError `BAD_EVENT_NAME`, `EVENT_UNDECLARED`, `EVENT_TOO_LARGE`, `NOT_SERIALISABLE`
 */
export function appEvent(
	name: string,
	given: Json,
	{ door, declared }: { door: string; declared: AgentDeclaration["events"] | undefined },
): AppEvent {
	if (typeof name !== "string" || name.trim() === "" || name.length > LONGEST_NAME) {
		throw new CallboardError("BAD_EVENT_NAME", "operator", `an event needs a name of 1 to ${LONGEST_NAME} characters`, {
			next: "name it as the agent's events do",
		});
	}
	if (declared !== undefined && !(Object.hasOwn(declared, name) && declared[name]?.from.includes("app"))) {
		const known = Object.keys(declared).filter((each) => declared[each]?.from.includes("app"));
		throw new CallboardError("EVENT_UNDECLARED", "operator", `the agent takes no event of that name from "app"`, {
			where: `door ${door}`,
			next: `it takes ${known.join(", ") || "none"}; declare it: static events = { name: { from: ["app"] } }`,
		});
	}
	const data = plainCopy(given, { place: () => "data" }) ?? null;
	const size = JSON.stringify(data).length;
	if (size > LARGEST_DATA) {
		throw new CallboardError("EVENT_TOO_LARGE", "operator", `the event's data has ${size} characters of JSON`, {
			next: `keep it within ${LARGEST_DATA}: send an id, and let a tool look the rest up`,
		});
	}
	return { kind: "event", name, data, source: "app" };
}
