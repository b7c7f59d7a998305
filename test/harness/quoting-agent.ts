import { z } from "zod";
import { Agent, type Stages, tool } from "../../src/index.js";

/** A workshop that finds a customer, offers times and books one: the agent of the acceptance cases. */
export default class Workshop extends Agent {
	static doc = "You take bookings for a workshop.";
	static events = { carReady: { from: ["app"] } };
	greeting = "Hello, this is the workshop.";
	stage: Stages<"greet" | "quote" | "booked"> = "greet";
	customer = "";
	slots: string[] = [];
	booked = "";
	openedOn = "";

	onCall(): void {
		this.stage = "greet";
		this.openedOn = this.call.today;
	}

	onEvent(name: string): void {
		if (name === "carReady") this.call.say("Your car is ready.");
	}

	/** Finds the customer by phone. */
	@tool({
		stage: "greet",
		doc: "Finds the customer by phone.",
		params: z.object({ phone: z.string() }),
		pii: ["phone"],
	})
	findCustomer({ phone }: { phone: string }): { name: string } {
		if (phone === "0") throw new Error("there is no customer with this phone, ask for it again");
		this.customer = "Ana";
		this.slots = ["mon-17", "tue-10"];
		this.stage = "quote";
		return { name: this.customer };
	}

	/** Books a slot. */
	@tool({
		stage: "quote",
		doc: "Books a slot.",
		params: z.object({ slot: z.string() }),
		when: (s) => s.slots.length > 0,
	})
	book({ slot }: { slot: string }): { booked: string } {
		this.booked = slot;
		this.stage = "booked";
		return { booked: slot };
	}

	/** Waits for the workshop's own system. */
	@tool({ doc: "Asks the workshop.", effect: "read" })
	async ask(): Promise<string> {
		await new Promise((resolve) => setTimeout(resolve, 60));
		return "yes";
	}

	render() {
		return `stage ${this.stage}, today ${this.call.today}, slots ${this.slots.join(", ")}`;
	}
}
