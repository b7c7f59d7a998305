import type { Log, LogFields } from "../observe/log.js";

export interface LogLine {
	level: "debug" | "info" | "warn" | "error";
	event: string;
	fields: LogFields;
}

/** A log that keeps its lines, so that a test can look at them. */
export class RecordingLog implements Log {
	readonly lines: LogLine[];
	readonly #fields: LogFields;

	constructor(lines: LogLine[] = [], fields: LogFields = {}) {
		this.lines = lines;
		this.#fields = fields;
	}

	debug(event: string, fields?: LogFields): void {
		this.#keep("debug", event, fields);
	}

	info(event: string, fields?: LogFields): void {
		this.#keep("info", event, fields);
	}

	warn(event: string, fields?: LogFields): void {
		this.#keep("warn", event, fields);
	}

	error(event: string, fields?: LogFields): void {
		this.#keep("error", event, fields);
	}

	with(fields: LogFields): Log {
		return new RecordingLog(this.lines, { ...this.#fields, ...fields });
	}

	#keep(level: LogLine["level"], event: string, fields: LogFields = {}): void {
		this.lines.push({ level, event, fields: { ...this.#fields, ...fields } });
	}
}
