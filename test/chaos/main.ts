/** `npm run chaos`: exit status 0 only when nothing was wrong. */
import { readOptions } from "./options.js";
import { shown } from "./report.js";
import { chaos } from "./run.js";

const options = readOptions(process.argv.slice(2));
const report = await chaos(options, (line) => console.error(line));
console.log(options.json ? JSON.stringify(report, null, "\t") : shown(report));
process.exit(report.faults.length === 0 ? 0 : 1);
