/** What a process asks for of that which may be sent by one door. */
export interface ShareTerms {
	owner: string;
	/** Sends that all processes together may begin within any `withinMs`. */
	most: number;
	withinMs: number;
	/** The part it keeps to now, and since before it asked. */
	has: number;
	/** How many it would send within that time. */
	wants: number;
	/** How long the part is its own from now on; 0: it sends nothing more by this door. */
	leaseMs: number;
	/** Until when the platform wants the whole door left alone, as far as this process was told; 0: it was not. */
	closedUntil: number;
}

/** What a process is given of it. */
export interface Shared {
	/** How many sends to keep to from now on. */
	part: number;
	/** Until when the door is to be left alone, whichever process was told; 0: it is not. */
	closedUntil: number;
}
