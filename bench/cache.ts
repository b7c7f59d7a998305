/**
 * How much of a request a provider can take from its prompt cache: the longest common prefix, in bytes, of two
 * successive requests of one booking conversation, in the orders in which providers put a request together. With
 * OPENAI_API_KEY set (and OPENAI_BASE_URL, CALLBOARD_MODEL) the same requests also go to the provider, and its own count
 * of cached tokens is shown.
 */
import { chatRequest } from "../src/model/chat-request.js";
import { compatibleDialect, type Dialect, openaiDialect } from "../src/model/dialect.js";
import type { ModelRequest } from "../src/model/model.js";
import { openai } from "../src/model/openai.js";
import { converse } from "../src/testing/conversation.js";
import type { Bench, Row } from "./row.js";

const said = [
	"hello",
	"Ana Ruiz, 600 111 222",
	"do you take cards?",
	"cardiology, tomorrow",
	"hm, rather Friday",
	"the second one, please",
	"thank you, bye",
];

const choice = openaiDialect;
const constant = compatibleDialect;
const changed: Dialect = { ...openaiDialect, visibility: "changed" };

/** The pieces of a request in the order in which a server writes its prompt. */
type Order = (body: ReturnType<typeof chatRequest>) => string;

const orders: Readonly<Record<string, Order>> = {
	"tools first": ({ tools, messages }) => JSON.stringify(tools ?? []) + JSON.stringify(messages),
	"tools after the system text": ({ tools, messages: [system, ...rest] }) =>
		JSON.stringify(system) + JSON.stringify(tools ?? []) + JSON.stringify(rest),
};

const bench: Bench = {
	name: "cache",
	async run() {
		const requests = await bookingConversation();
		const rows: Row[] = [];
		for (const [order, write] of Object.entries(orders)) {
			const naive = shares(requests, changed, write);
			const viewFirst = shares(requests.map(withViewFirst), choice, write);
			for (const [name, dialect] of [
				["allowed_tools choice", choice],
				["constant array, view appended", constant],
			] as const) {
				const ours = shares(requests, dialect, write);
				rows.push(
					compared(`${name}, ${order}: mean`, mean(ours), mean(naive)),
					compared(`${name}, ${order}: worst request`, Math.min(...ours), Math.min(...naive)),
				);
			}
			rows.push(
				compared(
					`view last, not in the system text, ${order}: mean`,
					mean(shares(requests, choice, write)),
					mean(viewFirst),
				),
			);
		}
		rows.push(steady("static part kept, allowed_tools choice", requests, choice));
		rows.push(steady("static part kept, constant array", requests, constant));
		rows.push(...(await providersOwn(requests)));
		return rows;
	},
};
export default bench;

async function bookingConversation(): Promise<readonly ModelRequest[]> {
	const clinic = await converse({
		agent: "agents/clinica-norte/agent.tsx",
		script: "agents/clinica-norte/demo.yaml",
	});
	for (const line of said) await clinic.says(line);
	const { requests } = clinic;
	await clinic.end();
	return requests;
}

/** As many agents are written: what is true now stands in the system prompt. */
function withViewFirst(request: ModelRequest): ModelRequest {
	return { ...request, system: `${request.system}\n\n${request.view}`, view: "" };
}

function serialised(request: ModelRequest, dialect: Dialect, write: Order): Buffer {
	const body = chatRequest(request, dialect, { model: "m", maxOutputTokens: undefined, temperature: undefined });
	return Buffer.from(write(body));
}

/** For each request after the first, the share of its bytes that begin it as they began the one before. */
function shares(requests: readonly ModelRequest[], dialect: Dialect, write: Order): readonly number[] {
	const bodies = requests.map((request) => serialised(request, dialect, write));
	return bodies.slice(1).map((body, index) => commonPrefix(bodies[index]!, body) / body.length);
}

/** Whether tools and system text, the static part, are in the common prefix of every pair of requests. */
function steady(row: string, requests: readonly ModelRequest[], dialect: Dialect): Row {
	const write = orders["tools first"]!;
	const bodies = requests.map((request) => serialised(request, dialect, write));
	const first = requests[0]!;
	const staticPart = serialised({ ...first, history: [], view: "" }, dialect, write).length - "]".length;
	const least = Math.min(...bodies.slice(1).map((body, index) => commonPrefix(bodies[index]!, body)));
	return {
		row,
		ours: least,
		against: staticPart,
		ratio: least / staticPart,
		target: ">= 1",
		ok: least >= staticPart,
		unit: "bytes",
	};
}

function commonPrefix(a: Buffer, b: Buffer): number {
	let at = 0;
	while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
	return at;
}

function compared(row: string, ours: number, against: number): Row {
	return { row, ours, against, ratio: ours / against, target: "> 1", ok: ours > against, unit: "share of the request" };
}

function mean(values: readonly number[]): number {
	return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The provider's own figures: cached of all prompt tokens over the conversation, each form under a cache key of its own. */
async function providersOwn(requests: readonly ModelRequest[]): Promise<readonly Row[]> {
	const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL, CALLBOARD_MODEL: model = "gpt-4.1-mini" } = process.env;
	if (!apiKey) return [];
	const share = async (visibility: Dialect["visibility"]): Promise<number> => {
		const asked = openai({
			apiKey,
			model,
			...(baseURL ? { baseURL } : {}),
			dialect: { visibility },
			maxOutputTokens: 200,
		});
		let input = 0;
		let cached = 0;
		for (const request of requests) {
			const { usage } = await asked.ask(
				{ ...request, cacheKey: `${request.cacheKey}-${visibility}` },
				{ signal: new AbortController().signal },
			);
			input += usage.input;
			cached += usage.cached;
		}
		return cached / input;
	};
	const against = await share("changed");
	const rows: Row[] = [];
	for (const visibility of ["choice", "constant"] as const) {
		const ours = await share(visibility);
		rows.push({
			row: `provider's own cached tokens, ${visibility}`,
			ours,
			against,
			ratio: ours / Math.max(against, 1e-6),
			target: ">= the changed array's",
			ok: ours >= against,
			unit: "share of prompt tokens",
		});
	}
	return rows;
}
