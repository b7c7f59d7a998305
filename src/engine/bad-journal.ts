import { CallboardError } from "../errors.js";

/** Refuses rows of a journal behind rows that are missing: a turn replayed without those would not be the same. */
export function badJournal(address: string, position: number): CallboardError {
	return new CallboardError(
		"BAD_JOURNAL",
		"author",
		`the rows in front of row ${position} of the journal are missing`,
		{
			where: address,
			next: "write the rows of a journal in their order",
		},
	);
}
