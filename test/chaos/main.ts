/** `npm run chaos`: exit status 0 only when nothing was wrong. */
import { readOptions } from "./options.js";
import { shown } from "./report.js";
import { chaos } from "./run.js";

const options = readOptions(process.argv.slice(2));
const began = Date.now();
const report = await chaos(options, (line) => {
	console.error(`${((Date.now() - began) / 1_000).toFixed(1)} s: ${line}`);
});
console.log(options.json ? JSON.stringify(report, null, "\t") : shown(report));
process.exit(report.faults.length === 0 ? 0 : 1);
