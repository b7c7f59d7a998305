import type { AddressKey } from "../call/address.js";
import type { LiveEvent, Payload } from "../channel/channel.js";

/** Something passing, told to the other processes: what a person sees of a running turn, and what was sent to them. */
export type News = {
	/** Owner name of the process that tells it, which itself knows already. */
	from: string;
	address: AddressKey;
} & (
	| { news: "shown"; event: LiveEvent }
	| { news: "said"; row: string; payload: Payload }
	| { news: "ended"; reason: string }
);
