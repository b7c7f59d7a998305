/** A process for the store tests: holds the store of `argv[2]`, or fills it until the disk is full (`argv[3]`). */
import { systemClock } from "../../src/clock.js";
import { embedded } from "../../src/engine/embedded/embedded.js";
import { CallboardError } from "../../src/errors.js";
import { silentLog } from "../../src/observe/log.js";

const [, , path = "", task = "hold"] = process.argv;
const backend = embedded({ path, clock: systemClock, log: silentLog });

process.on("unhandledRejection", () => process.exit(3));

function message(n: number) {
	const content = { kind: "text", text: "x".repeat(2_000) } as const;
	return { type: "message", id: `m${n}`, address: `fake|chat${n}`, contact: { id: "x" }, content, sentAt: 0 } as const;
}

async function fill(): Promise<void> {
	let accepted = 0;
	try {
		for (; accepted < 5_000; accepted += 1) await backend.accept(message(accepted), { inbox: 10, dedupeMs: 60_000 });
	} catch (error) {
		if (!(error instanceof CallboardError)) throw error;
		const again = await backend.accept(message(accepted), { inbox: 10, dedupeMs: 60_000 }).catch((each) => each.code);
		const first = await backend.view("fake|chat0", { history: 0 });
		console.log(JSON.stringify({ accepted, code: error.code, again, readable: first.waiting.length }));
	}
	await backend.close();
}

try {
	await backend.open();
	if (task === "fill") await fill();
	else {
		console.log("open");
		setInterval(() => {}, 1_000);
	}
} catch (error) {
	console.log(error instanceof CallboardError ? `${error.code} ${error.explain()}` : error);
	process.exit(2);
}
