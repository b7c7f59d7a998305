/** A person the clinic knows. */
export interface Patient {
	/** Record number, such as P-104. */
	id: string;
	/** Given and family name. */
	name: string;
}

export const SPECIALTIES = ["general", "cardiology", "dermatology", "paediatrics"] as const;
export type Specialty = (typeof SPECIALTIES)[number];

/** One free hour with one doctor. */
export interface Slot {
	/** Short, such as s2: what the model passes on. */
	id: string;
	/** YYYY-MM-DD */
	day: string;
	/** HH:MM, 24 hours */
	time: string;
	doctor: string;
	specialty: Specialty;
}

/** An hour that is taken. */
export interface Booking {
	/** What the patient gives at the desk, such as CN-4821. */
	reference: string;
	patient: string;
	slot: Slot;
}

const PATIENTS: readonly (Patient & { phone: string })[] = [
	{ id: "P-104", name: "Ana Ruiz", phone: "600111222" },
	{ id: "P-112", name: "Luis Vega", phone: "600333444" },
	{ id: "P-131", name: "María del Mar Ortega", phone: "600555666" },
];

const DOCTORS: Readonly<Record<Specialty, string>> = {
	general: "Dr. Salas",
	cardiology: "Dr. Iborra",
	dermatology: "Dr. Prieto",
	paediatrics: "Dr. Nadal",
};

const HOURS = ["09:00", "10:30", "12:00", "16:00", "17:30"] as const;

/** The clinic's diary: who is known, which hours are free, what is booked. Kept in memory, as a demo may. */
export class Agenda {
	readonly #taken = new Map<string, Booking>();
	readonly #byKey = new Map<string, Booking>();

	/** Finds a patient by name and phone; accents, case, spaces and a leading +34 do not matter. */
	async find(name: string, phone: string): Promise<Patient | null> {
		const digits = phone.replaceAll(/\D/g, "").replace(/^(00)?34(?=\d{9}$)/, "");
		const found = PATIENTS.find((patient) => patient.phone === digits && plain(patient.name) === plain(name));
		return found ? { id: found.id, name: found.name } : null;
	}

	/** Free hours of one day, earliest first. Sundays are closed, and hours before noon fill up first on Mondays. */
	async free(day: string, specialty: Specialty): Promise<Slot[]> {
		const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
		if (weekday === 0) return [];
		const open = HOURS.filter((time) => weekday !== 1 || time >= "12:00").filter(
			(time) => !this.#taken.has(hour(day, time, specialty)),
		);
		return open
			.slice(0, 3)
			.map((time, index) => ({ id: `s${index + 1}`, day, time, doctor: DOCTORS[specialty], specialty }));
	}

	/**
	 * Takes an hour. The same `key` again gives the same booking.
	 * @throws Error when the hour has been taken by somebody else
	 */
	async book(patient: Patient, slot: Slot, key: string): Promise<Booking> {
		const known = this.#byKey.get(key);
		if (known) return known;
		const at = hour(slot.day, slot.time, slot.specialty);
		if (this.#taken.has(at)) throw new Error("that hour has just been taken; look for free hours again");
		const booking = { reference: `CN-${4821 + this.#taken.size}`, patient: patient.id, slot };
		this.#taken.set(at, booking);
		this.#byKey.set(key, booking);
		return booking;
	}

	/** Forgets every booking. */
	clear(): void {
		this.#taken.clear();
		this.#byKey.clear();
	}

	/** Everything booked, in the order it was. */
	bookings(): readonly Booking[] {
		return [...this.#taken.values()];
	}
}

/** The one diary that every call shares. */
export const agenda = new Agenda();

const hour = (day: string, time: string, specialty: Specialty) => `${day} ${time} ${specialty}`;

const plain = (text: string) =>
	text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase().replaceAll(/\s+/g, " ").trim();
