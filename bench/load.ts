/** Declaring the example agent with the manifest that the build wrote, and by reading its source with the compiler. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isAgentClass } from "../src/agent/agent.js";
import { declare } from "../src/agent/declare.js";
import { buildManifest, loadManifest, writeManifest } from "../src/schema/manifest-file.js";
import { type Bench, median } from "./row.js";

const rounds = 5;

const bench: Bench = {
	name: "load",
	async run() {
		const root = resolve(import.meta.dirname, "..");
		const file = resolve(root, "agents/clinica-norte/agent.tsx");
		const files = [file];
		const exported: unknown = ((await import(file)) as { default: unknown }).default;
		if (!isAgentClass(exported)) throw new Error("the example agent is no class");
		const folder = mkdtempSync(join(tmpdir(), "callboard-bench-"));
		const manifest = join(folder, "callboard.manifest.json");
		const read: number[] = [];
		const loaded: number[] = [];
		try {
			for (let round = 0; round <= rounds; round++) {
				const [ms, built] = await timed(() => buildManifest({ root, files }));
				writeManifest(manifest, built.manifest);
				const [ours] = await timed(async () => {
					const known = await loadManifest({ root, files, manifest });
					declare(exported, known.agents.ClinicaNorte, { file });
				});
				if (round === 0) continue;
				read.push(ms);
				loaded.push(ours);
			}
		} finally {
			rmSync(folder, { recursive: true });
		}
		const [ours, against] = [median(loaded), median(read)];
		const ratio = ours / against;
		return [
			{
				row: "with the manifest against the compiler",
				ours,
				against,
				ratio,
				target: "<= 0.1",
				ok: ratio <= 0.1,
				unit: "ms",
			},
		];
	},
};
export default bench;

async function timed<T>(run: () => Promise<T>): Promise<readonly [number, T]> {
	const start = performance.now();
	const value = await run();
	return [performance.now() - start, value];
}
