import { expect, test } from "vitest";
import { pause } from "../../src/clock.js";
import type { Backend } from "../../src/engine/backend.js";
import { CallboardError } from "../../src/errors.js";
import { newestWords, stand } from "./stand.js";

const down = () => new CallboardError("BACKEND_UNAVAILABLE", "platform", "the store is down");

/** A backend that writes the first settlement, loses the answer, and is not there for a while. */
function losing(backend: Backend, outage: () => Promise<void>): Backend {
	let state: "up" | "down" | "back" = "up";
	const whileUp = <A extends unknown[], T>(operation: (...args: A) => Promise<T>) => {
		return async (...args: A): Promise<T> => {
			if (state === "down") throw down();
			return operation.apply(backend, args);
		};
	};
	const replaced: Partial<Backend> = {
		extend: whileUp(backend.extend),
		release: whileUp(backend.release),
		take: whileUp(backend.take),
		claim: whileUp(backend.claim),
		async settle(...args) {
			if (state !== "up") return whileUp(backend.settle)(...args);
			await backend.settle(...args);
			state = "down";
			void outage().then(() => {
				state = "back";
			});
			throw down();
		},
	};
	return new Proxy(backend, {
		get(target, name: keyof Backend) {
			const found = replaced[name] ?? target[name];
			return typeof found === "function" ? (found as () => unknown).bind(target) : found;
		},
	});
}

test.each([
	{ what: "a moment, in which the lease is renewed", outageMs: 0 },
	{ what: "longer than a lease", outageMs: 5_000 },
])(
	"a turn that was written, whose answer was lost for $what, is committed once and its words leave",
	async ({ outageMs }) => {
		const desk = await stand({
			over: (backend) => losing(backend, () => (outageMs === 0 ? Promise.resolve() : pause(desk.clock, outageMs))),
			async model(request) {
				await pause(desk.clock, 600);
				return `re: ${newestWords(request)}`;
			},
		});
		const ana = desk.person();
		await ana.says("hi");
		await desk.clock.advance(600 + outageMs + 1_000);
		await desk.settle();
		expect(ana.heard).toEqual(["re: hi"]);
		expect(desk.told("turn.committed")).toHaveLength(1);
		expect(desk.told("turn.fenced")).toEqual([]);
		const { outbox, marks } = await desk.backend.view(ana.address, { history: 0 });
		expect({ outbox, marks }).toEqual({ outbox: [], marks: [] });
		await desk.end();
	},
);
