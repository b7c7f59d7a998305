import { Agent, tool } from "callboard";
import { z } from "zod";
import type { AgentClass } from "../../src/agent/agent.js";
import type { ToolRequest } from "./ledger-line.js";

/** Does in the world outside what a tool asks for; resolves once it is done. */
export type Deed = (request: Omit<ToolRequest, "by">) => Promise<void>;

const numbered = { params: z.object({ n: z.number().int() }) };

/** How many messages of each three are also tallied, and of each ten reminded of. */
export const isTallied = (n: number) => n % 3 === 0;
export const isReminded = (n: number) => n % 10 === 5;

/** What the clerk stores, for the check. */
export interface ClerkState {
	noted: number[];
	tallied: number[];
	reminded: number[];
	sum: number;
}

/** An agent that writes down every message outside and in its state, so that the two can be compared. */
export function clerkOf(deed: Deed): AgentClass {
	return class Clerk extends Agent {
		static slug = "clerk";
		static doc = "You are a clerk. You note every number you are told.";
		static settings = { window: 120 };
		static events = { reminder: { from: ["timer" as const] } };

		noted: number[] = [];
		tallied: number[] = [];
		reminded: number[] = [];
		sum = 0;

		@tool({ ...numbered, effect: "once", doc: "Notes a number. Must not happen twice." })
		async note({ n }: { n: number }): Promise<number> {
			await deed({ tool: "note", address: this.call.from, n, key: this.call.key });
			this.noted = [...this.noted, n];
			if (isReminded(n)) this.call.later({ in: 0.2 + (n % 7) / 5 }, "reminder", { n });
			return this.noted.length;
		}

		@tool({ ...numbered, effect: "idempotent", doc: "Adds a number to the sum." })
		async tally({ n }: { n: number }): Promise<number> {
			await deed({ tool: "tally", address: this.call.from, n, key: this.call.key });
			this.tallied = [...this.tallied, n];
			this.sum += n;
			this.call.say(`tally ${n}`);
			return this.sum;
		}

		onEvent(_name: string, { n }: { n: number }): void {
			this.reminded = [...this.reminded, n];
			this.call.say(`reminder ${n}`);
		}

		render() {
			return `Noted ${this.noted.length}, sum ${this.sum}.`;
		}
	};
}
