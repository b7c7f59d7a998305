/**
 * A model that plays a script: the same contract as the real one, no key, no network, the same answer every time.
 *
 * A script is a YAML file beside the agent, or an object of the same shape, in one of two modes. **Rules** hold a free
 * conversation, for the demo: the first rule whose conditions hold answers, and `otherwise` when none does.
 *
 * ```yaml
 * language: es
 * heard:                                   # kept in mind, whenever it was said
 *   phone: '\+?\d[\d ]{7,}\d'
 *   name: { said: '^(soy |me llamo )?(?<name>\p{L}+( \p{L}+)+)$', asked: nombre }
 * rules:
 *   - when: { tool: findPatient, heard: [name, phone], justHeard: [name, phone] }
 *     call: { findPatient: { name: '{{name}}', phone: '{{phone | digits}}' } }
 *   - when: { after: findPatient, result: none }
 *     say: No encuentro a nadie con ese nombre y teléfono. ¿Me los repite?
 *   - when: { after: findPatient }
 *     say: Gracias, {{result.name}}. ¿Qué día le viene bien?
 *   - when: { tool: freeSlots, said: '(?<day>lunes|martes|miercoles|jueves|viernes|manana)' }
 *     call: { freeSlots: { day: '{{day | day}}', specialty: general } }
 * otherwise: ¿Me dice su nombre completo y su teléfono?
 * ```
 *
 * **Steps** are a conversation in one order, for tests: every request must be as the next step expects, and every step
 * must be used.
 *
 * ```yaml
 * steps:
 *   - expect: { said: hola, tools: [findPatient] }
 *     say: ¿Su nombre y su teléfono?
 *   - expect: { said: Ana }
 *     call: { findPatient: { name: Ana García, phone: '600111222' } }
 *   - expect: { after: findPatient, result: { name: Ana García } }
 *     say: Gracias, Ana.
 * ```
 *
 * All words and templates are in docs/scripted-model.md.
 */
import { type Clock, pause, systemClock } from "../clock.js";
import { CallboardError } from "../errors.js";
import type { AskOptions, Model, ModelRequest, ModelResponse } from "./model.js";
import { type Rule, type Script, type ScriptCall, type Step, script } from "./script.js";
import { type Conditions, check, type Heard, hear, type Miss } from "./script-conditions.js";
import { ownWords, type Scene, sceneOf } from "./script-scene.js";
import type { ScriptSource } from "./script-source.js";
import { asText, fill, MissingValue, type TemplateValues } from "./script-template.js";
import { ToolCallAssembly } from "./tool-call-assembly.js";
import { estimateUsage } from "./usage-estimate.js";

export interface ScriptedModelOptions {
	/** Streams the words at the script's pace. Default: the real one. */
	clock?: Clock;
	/** Milliseconds between two streamed words, whatever the script says; 0 for all at once. */
	pace?: number;
	/** For `{{… | day}}`. Default UTC. */
	timeZone?: string;
}

interface Answer {
	say: string;
	calls: readonly { tool: string; args: string }[];
	finish?: "length" | "filtered" | "refused" | undefined;
	usage?: Step["usage"];
}

const recordedAtMost = 500;

export class ScriptedModel implements Model {
	readonly name: string;
	/** Every request, oldest first; a demo's long life keeps the newest 500. */
	readonly requests: ModelRequest[] = [];
	readonly #script: Script;
	readonly #clock: Clock;
	readonly #pace: number;
	readonly #timeZone: string;
	#next = 0;
	#unexpected: CallboardError | undefined;

	/** @throws CallboardError `BAD_SCRIPT` when an object given as script is wrong */
	constructor(source: Script | ScriptSource, options: ScriptedModelOptions = {}) {
		this.#script = "play" in source ? source : script(source);
		this.name = `script/${this.#script.name}`;
		this.#clock = options.clock ?? systemClock;
		this.#pace = options.pace ?? this.#script.pace;
		this.#timeZone = options.timeZone ?? "UTC";
	}

	/**
	 * @throws CallboardError `SCRIPT_UNEXPECTED`, fault `author`, when a request is not as the next step expects, or there
	 * is no further step; the code of a step's `fail`
	 */
	async ask(request: ModelRequest, options: AskOptions): Promise<ModelResponse> {
		options.signal.throwIfAborted();
		this.requests.push(structuredClone(request));
		const { play } = this.#script;
		if (play.mode === "rules" && this.requests.length > recordedAtMost) this.requests.shift();
		const scene = sceneOf(request);
		const heard = hear(this.#script.heard, scene);
		const answer =
			play.mode === "steps"
				? this.#step(play.steps, scene, heard)
				: this.#rule(play.rules, play.otherwise, scene, heard);
		await this.#stream(answer.say, options);
		return this.#response(request, answer);
	}

	/** @throws CallboardError `SCRIPT_UNUSED` when a step was not asked for; the first `SCRIPT_UNEXPECTED` again */
	assertComplete(): void {
		if (this.#unexpected !== undefined) throw this.#unexpected;
		const { play } = this.#script;
		if (play.mode === "rules" || this.#next >= play.steps.length) return;
		const left = play.steps.length - this.#next;
		throw new CallboardError("SCRIPT_UNUSED", "author", `${left} of ${play.steps.length} steps were not used`, {
			where: play.steps[this.#next]!.at,
			next: "make the agent ask for them, or take them out of the script",
		});
	}

	#step(steps: readonly Step[], scene: Scene, heard: Heard): Answer {
		const step = steps[this.#next];
		if (step === undefined) throw this.#refuse("after the last step", "no further request", [], scene);
		const verdict = check(step.expect, scene, heard);
		if (verdict.misses.length > 0) {
			throw this.#refuse(step.at, `step ${this.#next + 1} of ${steps.length} to fit`, verdict.misses, scene);
		}
		this.#next += 1;
		if (step.fail !== undefined) throw new CallboardError(step.fail, "platform", `the script fails with ${step.fail}`);
		const given = this.#values(scene, heard, verdict);
		return {
			say: asText(fill(step.say, given)),
			calls: step.calls.map((call) => filledCall(call, given)),
			finish: step.finish,
			usage: step.usage,
		};
	}

	#rule(rules: readonly Rule[], otherwise: readonly string[], scene: Scene, heard: Heard): Answer {
		const onResult = scene.fresh.length > 0;
		const toolsOff = scene.request.toolChoice === "none";
		for (const rule of rules) {
			if (rule.onResult !== onResult || (toolsOff && rule.say.length === 0)) continue;
			const verdict = rule.when.map((each) => check(each, scene, heard)).find((each) => each.misses.length === 0);
			if (verdict === undefined || (rule.unless !== undefined && holds(rule.unless, scene, heard))) continue;
			try {
				const given = this.#values(scene, heard, verdict);
				return {
					say: alternate(rule.say, given, scene),
					calls: toolsOff ? [] : rule.calls.map((call) => filledCall(call, given)),
				};
			} catch (error) {
				if (!(error instanceof MissingValue)) throw error;
			}
		}
		const given = this.#values(scene, heard, { groups: {}, result: scene.results.at(-1)?.value });
		return { say: alternate(otherwise, given, scene), calls: [] };
	}

	#values(scene: Scene, heard: Heard, verdict: Pick<ReturnType<typeof check>, "groups" | "result">): TemplateValues {
		const today = new Intl.DateTimeFormat("en-CA", { timeZone: this.#timeZone }).format(this.#clock.now());
		return {
			values: {
				...heard.values,
				...verdict.groups,
				said: ownWords(scene.said),
				today,
				result: verdict.result,
				results: Object.fromEntries(scene.results.map((each) => [each.tool, each.value])),
				args: Object.fromEntries(scene.results.map((each) => [each.tool, each.args])),
			},
			language: this.#script.language,
			today,
		};
	}

	#refuse(where: string, expected: string, misses: readonly Miss[], scene: Scene): CallboardError {
		const lines = misses.map(
			(miss) =>
				`\n  ${miss.condition}: expected ${miss.expected}\n  ${" ".repeat(miss.condition.length)}  but got  ${miss.got}`,
		);
		const last = scene.request.history.at(-1);
		const ends = last === undefined ? "an empty history" : `a history that ends with ${JSON.stringify(last)}`;
		const error = new CallboardError(
			"SCRIPT_UNEXPECTED",
			"author",
			`request ${this.requests.length} is not in the script, which expects ${expected}${lines.join("")}\n  it came with ${ends}`,
			{ where },
		);
		this.#unexpected ??= error;
		return error;
	}

	async #stream(text: string, options: AskOptions): Promise<void> {
		for (const piece of text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) {
			if (this.#pace > 0) await pause(this.#clock, this.#pace, options.signal);
			options.onText?.(piece);
		}
	}

	#response(request: ModelRequest, answer: Answer): ModelResponse {
		const assembly = new ToolCallAssembly();
		for (const [index, call] of answer.calls.entries()) {
			assembly.add({ index, function: { name: call.tool, arguments: call.args } });
		}
		const taken = request.history.flatMap((entry) => (entry.role === "assistant" ? (entry.calls ?? []) : []));
		const calls = assembly.finish(new Set(taken.map((call) => call.id)));
		const text = answer.say.trim() === "" ? "" : answer.say;
		return {
			text,
			calls,
			finish: answer.finish ?? (calls.length > 0 ? "tools" : "stop"),
			usage: answer.usage ?? estimateUsage(request, { text, calls }),
			model: this.#script.name,
			attempts: 1,
		};
	}
}

function holds(conditions: Conditions, scene: Scene, heard: Heard): boolean {
	return check(conditions, scene, heard).misses.length === 0;
}

function filledCall(call: ScriptCall, given: TemplateValues): { tool: string; args: string } {
	const args = typeof call.args === "string" ? call.args : JSON.stringify(fill(call.args, given));
	return { tool: call.tool, args };
}

/**
 * Of several lines the one not said yet or longest ago. One whose values are missing is passed over.
 *
 * @throws MissingValue when that is so of all
 */
function alternate(lines: readonly string[], given: TemplateValues, scene: Scene): string {
	let missing: unknown;
	let best: { line: string; saidAt: number } | undefined;
	for (const template of lines) {
		try {
			const line = asText(fill(template, given));
			const saidAt = scene.spoken.lastIndexOf(line);
			if (best === undefined || saidAt < best.saidAt) best = { line, saidAt };
		} catch (error) {
			missing = error;
		}
	}
	if (best === undefined && missing !== undefined) throw missing;
	return best?.line ?? "";
}
