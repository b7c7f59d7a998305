import { Agent, type Stages, tool } from "callboard";
import { Agenda, type Booking, type Patient, type Slot } from "./records.js";

export default class ClinicaNorte extends Agent {
	stage: Stages<"identify" | "choose" | "book" | "done"> = "identify";
	patient?: Patient | undefined;
	slots: Slot[] = [];

	/** Finds the patient by full name and phone. Ask for both before calling it. */
	@tool({ stage: "identify", pii: ["name", "phone"] })
	async findPatient(name: string, phone: string): Promise<Patient | null> {
		this.patient = await this.agenda().find(name, phone);
		if (this.patient) this.stage = "choose";
		return this.patient ?? null;
	}

	/** Free slots on one day, for one specialty. */
	@tool({ stage: ["choose", "book"] })
	async freeSlots(day: string, specialty: string): Promise<Slot[]> {
		this.slots = await this.agenda().free(day, specialty);
		this.stage = "book";
		return this.slots;
	}

	/** Books one of the free slots. */
	@tool({ stage: "book", when: (s) => s.slots.length > 0 })
	async book(slot: string): Promise<Booking> {
		this.stage = "done";
		return { slot, reference: "r1" };
	}

	get identified() {
		return !!this.patient;
	}

	agenda() {
		return new Agenda();
	}

	render() {
		return <p>{this.identified ? "The patient is known." : "Ask who is writing."}</p>;
	}
}
