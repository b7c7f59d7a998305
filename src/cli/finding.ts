/** One thing `callboard doctor` looked at. */
export interface Finding {
	/** What was looked at: `node`, `model`, `port`. */
	about: string;
	verdict: "ok" | "warn" | "fail";
	says: string;
	/** What to do about it. */
	next?: string;
}

export const ok = (about: string, says: string): Finding => ({ about, verdict: "ok", says });

export const warn = (about: string, says: string, next: string): Finding => ({ about, verdict: "warn", says, next });

export const fail = (about: string, says: string, next: string): Finding => ({ about, verdict: "fail", says, next });
