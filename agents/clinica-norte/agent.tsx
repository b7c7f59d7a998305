import { Agent, type Stages, tool } from "callboard";
import { type Agenda, agenda, type Booking, type Patient, type Slot, type Specialty } from "./agenda.js";
import { dayInWords, dayMeant } from "./days.js";

/**
 * You are the front desk of Clínica Norte, a small clinic. You book visits for patients it already knows.
 * Write short, warm messages with one question each. Never promise an hour that a tool did not confirm.
 */
export default class ClinicaNorte extends Agent {
	stage: Stages<"identify" | "choose" | "book" | "done"> = "identify";
	patient?: Patient | undefined;
	/** The day asked for last, so that an empty day and a day never asked for look different. */
	asked?: { day: string; specialty: Specialty } | undefined;
	slots: Slot[] = [];
	booking?: Booking | undefined;

	greeting = "Hello, this is Clínica Norte. I can book your visit. What are your full name and your phone number?";

	knowledge = "about.md";

	get identified() {
		return this.patient !== undefined;
	}

	agenda(): Agenda {
		return agenda;
	}

	/**
	 * Finds the patient by full name and phone. Ask for both before calling it.
	 * @param name Given and family name, as the patient wrote it.
	 * @param phone The phone number, digits in any grouping.
	 */
	@tool({ stage: "identify", pii: ["name", "phone"], effect: "read" })
	async findPatient(name: string, phone: string): Promise<Patient | null> {
		this.patient = (await this.agenda().find(name, phone)) ?? undefined;
		if (this.patient) this.stage = "choose";
		return this.patient ?? null;
	}

	/**
	 * Free hours on one day, for one specialty. The application shows the hours it finds as buttons, so do not list them.
	 * @param day The day as the patient said it: "tomorrow", "Friday", or a date as YYYY-MM-DD.
	 * @param specialty Which doctor is needed; "general" when the patient does not say.
	 */
	@tool({ stage: ["choose", "book"], effect: "read", preview: 3 })
	async freeSlots(day: string, specialty: Specialty): Promise<Slot[]> {
		const meant = dayMeant(day, this.call.today);
		if (meant === undefined) throw new Error("that names no day to come; ask the patient for a day or a date");
		this.slots = await this.agenda().free(meant, specialty);
		this.asked = { day: meant, specialty };
		this.stage = this.slots.length > 0 ? "book" : "choose";
		if (this.slots.length > 0) {
			this.call.say(`${this.slots[0]?.doctor} has these hours on ${dayInWords(meant)}. Which one suits you?`, {
				choices: this.slots.map((slot) => ({ id: slot.id, label: slot.time })),
			});
		}
		return this.slots;
	}

	/**
	 * Books one of the free hours, once the patient has picked it.
	 * @param slot Id of the hour picked, such as s2.
	 */
	@tool({ stage: "book", when: (s) => s.slots.length > 0, effect: "idempotent" })
	async book(slot: string): Promise<Booking> {
		const picked = this.slots.find((free) => free.id === slot);
		if (!picked || !this.patient) {
			throw new Error(
				`${slot} was not offered; the offer is ${this.slots.map((s) => `${s.id} at ${s.time}`).join(", ")}`,
			);
		}
		this.booking = await this.agenda().book(this.patient, picked, this.call.key);
		this.slots = [];
		this.stage = "done";
		return this.booking;
	}

	/** Hands the conversation to a person at the front desk. Use it when the patient asks for one or is upset. */
	@tool()
	human(): { handedOver: true } {
		this.call.forward("front-desk");
		return { handedOver: true };
	}

	/** Ends the conversation, once the patient says goodbye. The application says goodbye itself. */
	@tool({ end: true, effect: "idempotent" })
	goodbye(): { ended: true } {
		this.call.say("Thank you for writing to Clínica Norte. Take care!");
		this.call.hangup({ after: "delivered" });
		return { ended: true };
	}

	render() {
		return (
			<>
				<p>
					Today is {dayInWords(this.call.today)}, {this.call.today}.
				</p>
				{this.patient && (
					<p>
						The patient is identified: <quote>{this.patient.name}</quote>. Never ask for the name or the phone again.
					</p>
				)}
				{this.stage === "identify" && (
					<p>You do not know who is writing. Ask for full name and phone, then look the patient up.</p>
				)}
				{this.stage === "choose" && this.asked && (
					<p>
						There is nothing free on {dayInWords(this.asked.day)} for {this.asked.specialty}. Say so and ask for another
						day.
					</p>
				)}
				{this.stage === "choose" && !this.asked && <p>Ask which day suits and which doctor is needed.</p>}
				{this.stage === "book" && (
					<section title="Hours on offer">
						<ul>
							{this.slots.map((slot) => (
								<li>
									{slot.id}: {dayInWords(slot.day)} at {slot.time}, {slot.doctor}
								</li>
							))}
						</ul>
						<p>The patient sees these as buttons. Book the one they pick; look again when they want another day.</p>
					</section>
				)}
				{this.booking && (
					<p>
						Booked: {dayInWords(this.booking.slot.day)} at {this.booking.slot.time} with {this.booking.slot.doctor},
						reference {this.booking.reference}. Nothing more is needed; say goodbye when the patient does.
					</p>
				)}
			</>
		);
	}
}
