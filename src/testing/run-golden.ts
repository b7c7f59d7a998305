import type { JsonObject } from "../call/json.js";
import { agentUnderTest } from "./agent-under-test.js";
import { type ConverseOptions, converse } from "./conversation.js";
import { checkGolden, type Golden } from "./golden.js";

/** One expectation of a golden and whether it held, with the evidence in words. */
export interface GoldenFinding {
	held: boolean;
	says: string;
}

export interface GoldenReport {
	golden: string;
	held: boolean;
	findings: readonly GoldenFinding[];
	/** What each message was answered with, in order. */
	turns: readonly { input: string; said: readonly string[] }[];
	/** Names of the tools that ran, in order. */
	tools: readonly string[];
	state: JsonObject;
}

/**
 * Plays a golden and says what held. The same golden with the same script gives the same report.
 * @throws CallboardError `BAD_GOLDEN` when the golden names what the agent does not declare
 */
export async function runGolden(
	golden: Golden,
	options: Omit<ConverseOptions, "state" | "today">,
): Promise<GoldenReport> {
	const agent = await agentUnderTest(options.agent, options.file);
	checkGolden(agent, golden);
	const conversation = await converse({
		...options,
		agent,
		state: (golden.state ?? {}) as JsonObject,
		...(golden.today === undefined ? {} : { today: golden.today }),
	});
	try {
		const turns: { input: string; said: readonly string[] }[] = [];
		for (let turn = 0; turn <= golden.input.length; turn += 1) {
			for (const { name, data } of golden.events.filter((event) => event.after_turn === turn)) {
				await conversation.event(name, data);
			}
			const input = golden.input[turn];
			if (input !== undefined) turns.push({ input, said: await conversation.says(input) });
		}
		const tools = conversation.tools.map((run) => run.tool);
		const findings = judge(golden, tools, conversation.heard);
		const held = findings.every((finding) => finding.held);
		return { golden: golden.name, held, findings, turns, tools, state: conversation.state };
	} finally {
		await conversation.close();
	}
}

function judge({ expect }: Golden, tools: readonly string[], heard: readonly string[]): GoldenFinding[] {
	const ran = tools.join(", ") || "no tool";
	const saidAt = (words: string) => heard.findIndex((text) => text.toLowerCase().includes(words.toLowerCase()));
	return [
		...expect.tools.map((tool) => {
			const held = tools.includes(tool);
			return { held, says: held ? `${tool} ran` : `${tool} did not run; ran: ${ran}` };
		}),
		...expect.not_tools.map((tool) => {
			const held = !tools.includes(tool);
			return { held, says: held ? `${tool} did not run` : `${tool} ran; ran: ${ran}` };
		}),
		...expect.says.map((words) => {
			const at = saidAt(words);
			return { held: at >= 0, says: at >= 0 ? `"${words}" in part ${at + 1}` : `"${words}" was never said` };
		}),
		...expect.not.map((words) => {
			const at = saidAt(words);
			return {
				held: at < 0,
				says: at < 0 ? `"${words}" was never said` : `"${words}" in part ${at + 1}: ${heard[at]}`,
			};
		}),
	];
}
