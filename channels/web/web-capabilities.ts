import type { Capabilities } from "../../src/channel/capabilities.js";
import { MAX_CHARACTERS } from "./protocol.js";

/** What the page can show. The numbers are ours: generous, and small enough for a slow phone. */
export const webCapabilities: Capabilities = {
	text: { max: MAX_CHARACTERS, unit: "utf16", markup: "markdown" },
	choices: { buttons: 50, rows: 50, labelMax: 200, idMaxBytes: 512 },
	edits: false,
	streaming: "native",
	typingMs: 10_000,
	media: { in: false, out: true, captionMax: MAX_CHARACTERS },
	ackMs: 5_000,
	ambiguous: "leave",
};
