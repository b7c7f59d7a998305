import { Agent, type Pii, type Stages, stages, state, tool } from "callboard";
import { z } from "zod";

/** Every line below that is wrong must stay wrong for the compiler; every other line must compile. */
export class Desk extends Agent {
	stage: Stages<"identify" | "book" | "done"> = "identify";
	slots: string[] = [];
	patient?: { name: string } | undefined;
	private secret = 1;
	#counter = 0;

	get known() {
		return this.patient !== undefined;
	}

	free() {
		return this.slots.length + this.#counter;
	}

	@tool({ stage: "identify", pii: ["name"] })
	one(name: string, day?: "mon" | "tue") {
		this.stage = "book";
		return name + day;
	}

	@tool({ stage: ["identify", "book"], when: (s) => s.slots.length > 0 && s.known && s.secret > 0 && s.free() > 0 })
	async many(slot: Pii<string>): Promise<string> {
		return slot;
	}

	@tool()
	none(): void {}

	@tool({ preview: 2, timeout: 5, effect: "read", end: true, doc: "Words." })
	all() {
		return [this.patient];
	}

	@tool({ params: z.object({ name: z.string(), n: z.number().optional() }), stage: "book" })
	zod({ name, n }: { name: string; n?: number | undefined }) {
		return name + n;
	}

	// @ts-expect-error a misspelled stage
	@tool({ stage: "identfy" })
	misspelled() {}

	// @ts-expect-error a misspelled stage in a list
	@tool({ stage: ["identify", "boook"] })
	misspelledInList() {}

	// @ts-expect-error a member that the state does not have
	@tool({ when: (s) => s.slotz.length > 0 })
	wrongMember() {}

	// @ts-expect-error a member used as what it is not
	@tool({ when: (s) => s.slots.length.toUpperCase() === "" })
	wrongUse() {}

	// @ts-expect-error an option that does not exist
	@tool({ stge: "book" })
	wrongOption() {}

	// @ts-expect-error an effect that does not exist
	@tool({ effect: "twice" })
	wrongEffect() {}

	// @ts-expect-error the method does not take what the schema gives
	@tool({ params: z.object({ name: z.string() }) })
	wrongParams(args: { name: number }) {
		return args;
	}

	// @ts-expect-error a misspelled stage beside params
	@tool({ stage: "bok", params: z.object({ name: z.string() }) })
	misspelledWithParams(args: { name: string }) {
		return args;
	}

	// @ts-expect-error a tool is a method
	@tool()
	get notAMethod() {
		return 1;
	}

	write() {
		// @ts-expect-error a stage that the class does not declare
		this.stage = "bok";
	}
}

export class Plain extends Agent {
	stage = stages("one", "two");

	@tool({ stage: "one" })
	first() {
		this.stage = "two";
	}

	// @ts-expect-error a stage that stages(…) does not name
	@tool({ stage: "three" })
	third() {}
}

export class Sub extends Plain {
	more = 1;

	@tool({ stage: "two", when: (s) => s.more > 0 && s.stage === "two" })
	second() {}

	// @ts-expect-error a stage that the parent does not declare
	@tool({ stage: "zwei" })
	zwei() {}
}

export class WithoutStages extends Agent {
	// @ts-expect-error the class has no stage field
	@tool({ stage: "book" })
	book() {}
}

export class Visible extends Agent {
	@state() a = 1;
	@state b = 2;
	@state({ visibility: "public" }) c = 3;
	@state({ pii: true }) d = 4;

	// @ts-expect-error a visibility that does not exist
	@state({ visibility: "secret" })
	e = 5;

	// @ts-expect-error state is made of fields
	@state()
	f() {}
}

class NotAnAgent {
	// @ts-expect-error a tool belongs to an agent
	@tool()
	stray() {}
}
new NotAnAgent();

export const plain = (marked: Pii<string> = "plain strings are fine"): string => marked;

export interface Patient {
	name: Pii<string>;
	age: Pii<number>;
}
export const patient: Patient = { name: "a", age: 1 };
