import { defineConfig } from "vitest/config";

const resolve = { conditions: ["callboard-source"] };
const ssr = { resolve: { conditions: ["callboard-source"] } };

/** `unit`: in one process, no servers, no real time. `process`: real servers, browsers, signals and killed children. */
export default defineConfig({
	test: {
		projects: [
			{
				resolve,
				ssr,
				test: {
					name: "unit",
					include: ["test/**/*.test.{ts,tsx}", "agents/**/*.test.{ts,tsx}"],
					exclude: ["**/*.process.test.*", "**/node_modules/**"],
					pool: "threads",
					isolate: false,
					testTimeout: 60_000,
				},
			},
			{
				resolve,
				ssr,
				test: {
					name: "process",
					include: ["test/**/*.process.test.{ts,tsx}"],
					pool: "forks",
					fileParallelism: false,
					testTimeout: 60_000,
					hookTimeout: 60_000,
				},
			},
		],
	},
});
