import { expect, test } from "vitest";
import { agentHeading } from "../../src/cli/agent-heading.js";

const heading = (title: string, words: { doc?: string; say?: string; knowledge?: string } = {}) =>
	agentHeading({
		title,
		doc: words.doc ?? "",
		...(words.say !== undefined && { greeting: { say: words.say } }),
		knowledge: words.knowledge ?? "",
	});

test("a class name is a heading as its author writes it in words", () => {
	expect(heading("ClinicaNorte", { doc: "You are the front desk of Clínica Norte, a small clinic." })).toBe(
		"Clínica Norte",
	);
	expect(heading("CafeMunoz", { doc: "The desk of\nCafé\n  Muñoz." })).toBe("Café Muñoz");
	expect(heading("ClinicaNorte", { say: "Hola, aquí la Clínica Norte." })).toBe("Clínica Norte");
	expect(heading("ClinicaNorte", { doc: "The desk.", knowledge: "Clínica Norte, 14 Calle del Puerto." })).toBe(
		"Clínica Norte",
	);
});

test("without such words it is the class name, spaced", () => {
	expect(heading("ClinicaNorte")).toBe("Clinica Norte");
	expect(heading("BikeDesk", { doc: "Front desk of a bike workshop." })).toBe("Bike Desk");
	expect(heading("ClinicaNorte", { doc: "You work for Clínica Norteña and for a clínica norte." })).toBe(
		"Clinica Norte",
	);
	expect(heading("support-2.0", { doc: "support-2x0" })).toBe("support-2.0");
});
