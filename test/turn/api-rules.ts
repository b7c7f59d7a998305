import { expect } from "vitest";
import type { ModelMessage } from "../../src/model/model.js";

/** The rules by which providers refuse a whole history. */
export function expectValid(messages: readonly ModelMessage[]): void {
	for (let at = 0; at < messages.length; at += 1) {
		const message = messages[at] as ModelMessage;
		if (message.role === "tool") expect.fail(`message ${at} is a result that no call stands before`);
		if (message.role === "user") expect(message.text.trim()).not.toBe("");
		if (message.role !== "assistant") continue;
		const calls = message.calls ?? [];
		if (calls.length === 0) expect(message.text?.trim() ?? "").not.toBe("");
		const results = messages.slice(at + 1, at + 1 + calls.length);
		expect(results.map((result) => (result.role === "tool" ? result.call : result.role))).toEqual(
			calls.map((call) => call.id),
		);
		expect(new Set(calls.map((call) => call.id)).size).toBe(calls.length);
		for (const call of calls) {
			expect(call.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
			expect(JSON.parse(call.arguments)).toBeTypeOf("object");
		}
		at += calls.length;
	}
}
