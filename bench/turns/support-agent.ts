import { Agent } from "callboard";

/** Helps people with their orders. */
export default class Support extends Agent {
	static settings = { window: 60 };

	flow = "support";
	node = "collect_email";
	turn = 20;
	vars = { name: "Ada Lovelace", lang: "en", email: null as string | null, cart: [1, 2, 3], topic: "billing" };
	user = { id: "49170000123", ch: "whatsapp", first: 1790000000000, last: 1790000500000 };
	tags = ["vip", "de"];
}
