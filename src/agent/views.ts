import { plainCopy, step } from "../call/plain.js";
import { CallboardError } from "../errors.js";

/**
 * Shows plain data as objects and lists that look and behave like it but tell every write, however deep. One object has
 * one view, so that `===` works; a view given back in a write stands for the object behind it.
 */
export class Views {
	readonly #views = new WeakMap<object, object>();
	readonly #objects = new WeakMap<object, object>();
	readonly #handlers = new Map<string, ProxyHandler<object>>();

	/**
	 * @param permit Asked before each write into a field. It throws, or answers false to have the write ignored.
	 * @param root The object or list that a field holds now: where paths begin.
	 */
	constructor(
		private readonly permit: (field: string) => boolean,
		private readonly root: (field: string) => unknown,
	) {}

	/** The view of a value; what is no object is its own view. */
	show(value: unknown, field: string): unknown {
		if (typeof value !== "object" || value === null) return value;
		const known = this.#views.get(value);
		if (known !== undefined) return known;
		const view = new Proxy(value, this.#handler(field));
		this.#views.set(value, view);
		this.#objects.set(view, value);
		return view;
	}

	/** What a field or member may hold: plain data, in which objects already shown here stand as they are. */
	take(value: unknown, place: () => string): unknown {
		return plainCopy(value, { place, known: (object) => this.#objects.get(object) });
	}

	#handler(field: string): ProxyHandler<object> {
		const known = this.#handlers.get(field);
		if (known !== undefined) return known;
		const place = (target: object, key?: string) => {
			const path = pathTo(this.root(field), target) ?? "";
			if (key === undefined) return `${field}${path}`;
			return `${field}${path}${step(Array.isArray(target) && isIndex(key) ? Number(key) : key)}`;
		};
		const write = (target: object, key: string | symbol, value: unknown): boolean => {
			if (!this.permit(field)) return true;
			if (typeof key === "symbol" || key === "__proto__" || (Array.isArray(target) && !isListKey(key))) {
				throw refusal(`${place(target)} was given a member named ${String(key)}`, "name it otherwise");
			}
			const taken = this.take(value, () => place(target, key));
			if (taken === undefined && Array.isArray(target)) {
				throw refusal(`${place(target, key)} was given undefined`, "store null, or remove the item");
			}
			if (pathTo(taken, target) !== undefined) {
				throw refusal(`${place(target, key)} was given a value that holds itself`, "store an id instead");
			}
			return Reflect.set(target, key, taken);
		};
		const handler: ProxyHandler<object> = {
			get: (target, key) => {
				const value = Reflect.get(target, key);
				return typeof value === "object" && Object.hasOwn(target, key) ? this.show(value, field) : value;
			},
			getOwnPropertyDescriptor: (target, key) => {
				const found = Reflect.getOwnPropertyDescriptor(target, key);
				return found && "value" in found ? { ...found, value: this.show(found.value, field) } : found;
			},
			set: write,
			defineProperty: (target, key, descriptor) => {
				if (!this.permit(field)) return true;
				if ("get" in descriptor || "set" in descriptor) {
					throw refusal(`${place(target)} was given a getter or setter`, "write a plain value");
				}
				return write(target, key, descriptor.value);
			},
			deleteProperty: (target, key) => (this.permit(field) ? Reflect.deleteProperty(target, key) : true),
			preventExtensions: (target) => {
				throw refusal(`${place(target)} was frozen`, "leave it as it is; nothing but a tool can change it");
			},
			setPrototypeOf: (target) => {
				throw refusal(`${place(target)} was given a prototype`, "store plain data");
			},
		};
		this.#handlers.set(field, handler);
		return handler;
	}
}

function refusal(message: string, next: string): CallboardError {
	return new CallboardError("NOT_SERIALISABLE", "author", `${message}, which cannot be stored`, { next });
}

function isIndex(key: string): boolean {
	return /^(0|[1-9]\d*)$/.test(key);
}

function isListKey(key: string): boolean {
	return key === "length" || isIndex(key);
}

/** How to get from one object to another: `""` for itself, `[2].at`, undefined when it is not in there. */
function pathTo(from: unknown, target: object): string | undefined {
	if (from === target) return "";
	if (typeof from !== "object" || from === null) return undefined;
	for (const [key, member] of Object.entries(from)) {
		const rest = pathTo(member, target);
		if (rest !== undefined) return `${step(Array.isArray(from) ? Number(key) : key)}${rest}`;
	}
	return undefined;
}
