import type { FunctionAgent } from "callboard";

export interface Services {
	db: {
		orders: { findOne(id: string): Promise<object | undefined> };
		customers: { find(query: { or: [{ phone: string }, { email: string }] }): Promise<object | null> };
	};
	scheduler: { book(what: { phone: string; datetime: string; reason: string }): Promise<object> };
	calendar: {
		book(what: {
			start: Date;
			duration: number;
			patient: string;
		}): Promise<{ success: true; id: string } | { success: false; conflictReason: string }>;
	};
}

export function seedSupport(services: Services): FunctionAgent;
