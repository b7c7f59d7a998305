/**
 * A store that works, or quietly holds nothing where the browser allows none.
 * @param {"localStorage" | "sessionStorage"} kind
 * @param {string} prefix
 */
export function storage(kind, prefix) {
	/** @type {Map<string, string>} */
	const memory = new Map();
	return {
		/** @param {string} key */
		get(key) {
			try {
				return globalThis[kind].getItem(prefix + key) ?? memory.get(key);
			} catch {
				return memory.get(key);
			}
		},
		/**
		 * @param {string} key
		 * @param {string | undefined} value
		 */
		set(key, value) {
			if (value === undefined) memory.delete(key);
			else memory.set(key, value);
			try {
				if (value === undefined) globalThis[kind].removeItem(prefix + key);
				else globalThis[kind].setItem(prefix + key, value);
			} catch {
				// Kept in memory for as long as the page lives.
			}
		},
	};
}

/** @typedef {ReturnType<typeof storage>} Store */
