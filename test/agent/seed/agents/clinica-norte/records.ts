export interface Patient {
	id: string;
	name: string;
}
export interface Slot {
	id: string;
	at: string;
}
export interface Booking {
	slot: string;
	reference: string;
}

/** A diary of one day and one patient. */
export class Agenda {
	async find(name: string, phone: string): Promise<Patient | undefined> {
		return name === "Ana Ruiz" && phone === "600111222" ? { id: "p1", name } : undefined;
	}
	async free(day: string, specialty: string): Promise<Slot[]> {
		return [
			{ id: "s1", at: `${day} 10:00 ${specialty}` },
			{ id: "s2", at: `${day} 11:00 ${specialty}` },
		];
	}
}
