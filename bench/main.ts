/** `npm run bench [-- name …] [--json]`: a table a bench, or with --json one line of JSON a bench. */
import { readdirSync } from "node:fs";
import type { Bench } from "./row.js";

const args = process.argv.slice(2);
const json = args.includes("--json");
const wanted = args.filter((arg) => !arg.startsWith("--"));
const known = readdirSync(import.meta.dirname)
	.filter((file) => file.endsWith(".ts") && !["main.ts", "row.ts"].includes(file))
	.map((file) => file.slice(0, -3));
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
	console.error(`no bench named ${unknown.join(", ")}; there are ${known.join(", ")}`);
	process.exit(2);
}

let missed = false;
for (const name of wanted.length > 0 ? wanted : known) {
	const bench = ((await import(`./${name}.ts`)) as { default: Bench }).default;
	const rows = await bench.run();
	missed ||= rows.some((row) => !row.ok);
	if (json) {
		console.log(JSON.stringify({ bench: bench.name, rows }));
		continue;
	}
	console.log(`\n${bench.name}`);
	console.table(Object.fromEntries(rows.map(({ row, unit, ...figures }) => [`${row} (${unit})`, round(figures)])));
}
process.exitCode = missed ? 1 : 0;

function round<T extends object>(figures: T): T {
	return Object.fromEntries(
		Object.entries(figures).map(([key, value]) => [
			key,
			typeof value === "number" ? Number(value.toPrecision(4)) : value,
		]),
	) as T;
}
