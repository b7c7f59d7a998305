import { Agent } from "callboard";

/** Repeats what it hears. */
export default class Echo extends Agent {
	static settings = { window: 60 };

	step = "start";
	person = { name: "Ada", language: "en" };
	cart = [1, 2, 3];
}
