import { expect, test } from "vitest";
import { Gate, stand } from "./stand.js";

test("a store that acknowledges a message and loses it does not go unnoticed", async () => {
	const desk = await stand();
	const accept = desk.backend.accept.bind(desk.backend);
	desk.backend.accept = async (...given) => (given[0].id === "ana-2" ? { outcome: "accepted" } : accept(...given));
	const ana = desk.person();
	for (const words of ["1", "2", "3"]) await ana.says(words);
	await desk.runtime.idle();
	await expect(desk.end()).rejects.toThrow("fake|ana: ana-2 was accepted, and is nowhere");
	await desk.runtime.stop(0);
});

test("a store that turns two messages round does not go unnoticed", async () => {
	const gate = new Gate();
	const desk = await stand({ model: () => gate.pass().then(() => "ok") });
	const settle = desk.backend.settle.bind(desk.backend);
	desk.backend.settle = (lease, { append, ...rest }, next) =>
		settle(lease, { ...rest, append: append.toReversed() }, next);
	const ana = desk.person();
	await ana.says("1");
	await gate.reached;
	for (const words of ["2", "3"]) await ana.says(words);
	gate.open();
	await desk.runtime.idle();
	await expect(desk.end()).rejects.toThrow("ana-1, ana-2, ana-3 arrived, ana-1, ana-3, ana-2 was handled");
	await desk.runtime.stop(0);
});
