import type { Content } from "../../../src/call/message.js";
import type { ModelRequest } from "../../../src/model/model.js";
import type { Scene } from "./scene.js";

/** What a person writes. */
export const words = (text: string): Content => ({ kind: "text", text });

/** Answers with all that the person said in this request, one after the other. */
export function echo({ history }: ModelRequest): string {
	const last = history.findLastIndex(({ role }) => role !== "user");
	return `re: ${history
		.slice(last + 1)
		.map((each) => (each.role === "user" ? each.text : ""))
		.join(" / ")}`;
}

/** How many turns a chat has had. */
export async function turns(scene: Scene, chat = "ana"): Promise<number> {
	return (await scene.view(`fake|${chat}`)).record?.turns ?? 0;
}
