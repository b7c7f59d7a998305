/** How fast one chat takes what is sent. */
export interface ChatRate {
	/** Sends a second, on and on. */
	perChatPerSecond: number;
	/** Sends at once after a rest. Default 1. */
	chatBurst?: number;
}

/** How fast a platform takes what is sent. */
export interface Rate extends ChatRate {
	/** Sends of the door that may begin within any second. */
	perDoorPerSecond: number;
}

/** What one platform can do and how much of it. A plain table: the renderer and the contract suite read it. */
export interface Capabilities {
	text: {
		/** Longest text of one message, in `unit`. */
		max: number;
		/** How the platform counts. `utf16` are JavaScript's own units. */
		unit: "utf16" | "codepoints" | "bytes";
		/** The platform's own markup. */
		markup: "markdown" | "telegram-html" | "whatsapp" | "slack" | "plain";
	};
	/** Tappable answers; 0 buttons means numbered text. */
	choices: { buttons: number; rows: number; labelMax: number; idMaxBytes: number };
	edits: boolean;
	/** Whether a running answer can be shown while it grows. */
	streaming: "native" | "edit" | "none";
	/** How long a typing signal lasts in ms before it must be renewed; 0 means no such signal. */
	typingMs: number;
	media: { in: boolean; out: boolean; captionMax: number };
	/** Within how many ms an inbound request must be acknowledged. */
	ackMs: number;
	/** What to do about a send whose outcome is unknown. `reconcile`: the channel can look; `leave`: mark and do not repeat. */
	ambiguous: "reconcile" | "leave";
	/** Held for the door as a whole, however many processes send by it. Default: any pace will do. */
	rate?: Rate;
}
