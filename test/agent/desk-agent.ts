import { Agent, stages, tool } from "callboard";

interface Slot {
	id: string;
	at: string;
}

/** What `find` and `leaves` wait for. */
export const hold = { gate: async (): Promise<void> => {} };
let kept: Slot[] = [];

/** An agent whose tools write, each in a way of its own. */
export class Desk extends Agent {
	stage = stages("greet", "quote", "booked");
	slots: Slot[] = [];
	patient?: { name: string; tags: string[] } | undefined;
	note: string | undefined = "first";
	#asked = 0;

	get known() {
		return this.patient !== undefined;
	}

	@tool({ doc: "Finds slots." })
	async find() {
		this.#asked += 1;
		this.slots = [
			{ id: "s1", at: "10:00" },
			{ id: "s2", at: "11:00" },
		];
		await hold.gate();
		this.slots.push({ id: "s3", at: "12:00" });
		this.stage = "quote";
		return this.#count();
	}

	#count() {
		return { slots: this.slots.length, asked: this.#asked };
	}

	@tool({ doc: "Throws after writing." })
	fails() {
		this.slots.push({ id: "x", at: "13:00" });
		this.call.say("never said");
		throw new Error("that hour is taken; offer another");
	}

	@tool({ doc: "Nothing." })
	nothing() {}

	@tool({ doc: "Puts a stage there is not.", effect: "read" })
	strays() {
		this.patient = { name: "Ana", tags: [] };
		this.stage = "qoute" as never;
	}

	@tool({ doc: "Leaves a timer." })
	leaves() {
		kept = this.slots;
		hold.gate().then(() => {
			this.slots = [];
			kept.push({ id: "late", at: "late" });
			kept[0]!.at = "late";
			kept.length = 0;
			Object.defineProperty(kept, 0, { get: () => 1 });
			(this as unknown as { slotz: number }).slotz = 1;
			this.restore({ slots: [] });
		});
		return "left";
	}

	@tool({ doc: "Writes a field that is none." })
	undeclared() {
		(this as unknown as { slotz: number }).slotz = 1;
	}

	@tool({ doc: "Forgets." })
	forgets() {
		this.note = undefined;
	}

	render() {
		return `${this.stage}: ${this.slots.map(({ at }) => at).join()}`;
	}
}
