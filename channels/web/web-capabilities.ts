import type { Capabilities } from "../../src/channel/capabilities.js";

/** What the page can show. The numbers are ours: generous, and small enough for a slow phone. */
export const webCapabilities: Capabilities = {
	text: { max: 8_000, unit: "utf16", markup: "markdown" },
	choices: { buttons: 50, rows: 50, labelMax: 200, idMaxBytes: 512 },
	edits: false,
	streaming: "native",
	typingMs: 10_000,
	media: { in: false, out: true, captionMax: 8_000 },
	ackMs: 5_000,
	ambiguous: "leave",
};
