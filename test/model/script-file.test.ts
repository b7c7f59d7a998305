import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CallboardError } from "../../src/errors.js";
import { loadScript, parseScript } from "../../src/model/script-file.js";
import { rejection } from "./asking.js";

function refusal(text: string): string {
	try {
		parseScript(text, "demo.yaml");
	} catch (error) {
		return (error as CallboardError).explain();
	}
	throw new Error("it was not refused");
}

const rules = (rule: string) => `language: es\nrules:\n  - ${rule}\notherwise: ¿Perdone?\n`;

test.each(["docs/scripted-model.md", "src/model/scripted.ts"])("every script shown in %s loads", async (file) => {
	const text = await readFile(join(import.meta.dirname, "../..", file), "utf8");
	const shown = [...text.matchAll(/```yaml\n(.*?)```/gs)].map((match) => match[1]!.replace(/^ \* ?/gm, ""));
	expect(shown).toHaveLength(2);
	for (const script of shown) expect(() => parseScript(script, file)).not.toThrow();
});

describe("a wrong script is refused with its line and what to write", () => {
	test.each([
		["no YAML", "rules: [", /^demo\.yaml:1: this is not YAML/],
		["an empty file", "", "demo.yaml:1: write a script: `rules:` for a demo, or `steps:` for a test"],
		["rules and steps", `${rules("say: a")}steps: [{ say: b }]`, /^demo\.yaml:1: a script has either `steps:`/],
		[
			"rules with no default",
			"rules:\n  - say: a",
			"demo.yaml:1: rules need `otherwise: …`, said when none of them holds",
		],
		["a rule that does nothing", rules("when: { said: a }"), /^demo\.yaml:3: a rule that does nothing: add `say: …`/],
		["a step that does nothing", "steps:\n  - expect: { said: a }", /^demo\.yaml:2: a step that does nothing/],
		[
			"an unknown condition",
			rules("when: { sayd: a }\n    say: b"),
			/^demo\.yaml:3: `sayd` is not a condition; there are said, choice,/,
		],
		[
			"an unknown word of a rule",
			rules("said: a\n    say: b"),
			/^demo\.yaml:3: `said` is not a word of a rule; there are when, unless, say, call/,
		],
		[
			"an unknown word of a script",
			"ruls: []",
			/^demo\.yaml:1: `ruls` is not a word of a script; there are script, language/,
		],
		[
			"a pattern that is none",
			rules("when:\n      said: '('\n    say: b"),
			"demo.yaml:4: ( is not a regular expression: Unterminated group",
		],
		["a number for words", rules("say: 3"), "demo.yaml:3: write a text, or a list of texts"],
		[
			"one name for a list",
			"steps:\n  - expect:\n      tools: find\n    say: b",
			"demo.yaml:3: write a list of tool names: `tools: [findPatient]`",
		],
		["a call that is no mapping", rules("call: find"), /^demo\.yaml:3: write the tool and its arguments/],
		[
			"a template's unknown name",
			rules("when: { said: '(?<day>x)' }\n    say: '{{dya}}'"),
			/^demo\.yaml:4: \{\{dya\}\} names `dya`; here there are .*day$/,
		],
		[
			"a template's unknown filter",
			rules("say: '{{said | shout}}'"),
			/^demo\.yaml:3: there is no filter `shout`; there are first,/,
		],
		[
			"a value nobody hears",
			rules("when: { heard: phone }\n    say: b"),
			"demo.yaml:3: nothing is heard as `phone`; add it under `heard:` at the top",
		],
		[
			"a language that is none",
			"language: español\nsteps: [{ say: a }]",
			"demo.yaml:1: write a language tag: es, en, pt-BR",
		],
		[
			"a default that may have no value",
			rules("say: a").replace("¿Perdone?", "'{{said | day}}'"),
			"demo.yaml:4: `otherwise` needs one line without {{…}}, for when nothing is known yet",
		],
		[
			"an `after` in one alternative only",
			rules("when: [{ after: a }, { said: b }]\n    say: c"),
			/^demo\.yaml:3: `after` stands in one alternative only/,
		],
	])("%s", (_name, text, message) => {
		if (typeof message === "string") expect(refusal(text)).toBe(message);
		else expect(refusal(text)).toMatch(message);
	});

	test("a file that is not there", async () => {
		expect(await rejection(loadScript("/nowhere/demo.yaml"))).toMatchObject({ code: "NO_SCRIPT", fault: "author" });
	});
});
