import { join } from "node:path";
import { expect, test } from "vitest";
import { loadAgents } from "../../src/agent/load.js";
import { renderText } from "../../src/prompt/render.js";
import { open } from "./opening.js";

test("the class of the Stages page is loaded from its own source and books", async () => {
	const [declaration] = await loadAgents({ root: join(import.meta.dirname, "seed") });
	expect(declaration).toMatchObject({
		name: "clinica-norte",
		title: "ClinicaNorte",
		stages: { values: ["identify", "choose", "book", "done"], initial: "identify" },
		fields: [
			{ name: "stage", visibility: "tenant" },
			{ name: "patient", visibility: "tenant" },
			{ name: "slots", visibility: "tenant" },
		],
		getters: ["identified"],
		warnings: ["ClinicaNorte has no docstring above the class, so the model is not told what it is"],
	});
	expect(declaration?.tools.map(({ name, description, pii, stages }) => [name, description, pii, stages])).toEqual([
		[
			"findPatient",
			"Finds the patient by full name and phone. Ask for both before calling it.",
			["name", "phone"],
			["identify"],
		],
		["freeSlots", "Free slots on one day, for one specialty.", [], ["choose", "book"]],
		["book", "Books one of the free slots.", [], ["book"]],
	]);
	const { session, use } = open(declaration!);
	const view = () => renderText(session.render());
	const shown = () => session.visibility().flatMap(({ tool, visible }) => (visible ? tool : []));
	expect([view(), shown()]).toEqual(["Ask who is writing.", ["findPatient"]]);
	expect((await use("findPatient", { name: "Nobody", phone: "1" })).content).toBe("null");
	expect(shown()).toEqual(["findPatient"]);
	await use("findPatient", { phone: "600111222", name: "Ana Ruiz" });
	expect([view(), shown()]).toEqual(["The patient is known.", ["freeSlots"]]);
	await use("freeSlots", { day: "tue", specialty: "skin" });
	expect(shown()).toEqual(["freeSlots", "book"]);
	expect((await use("book", { slot: "s2" })).result).toEqual({ slot: "s2", reference: "r1" });
	expect(session.readable()).toMatchObject({ stage: "done", identified: true, patient: { id: "p1" } });
	expect(shown()).toEqual([]);
});
