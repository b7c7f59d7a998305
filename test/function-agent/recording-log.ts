import type { Log, LogFields } from "../../src/observe/log.js";

export interface RecordingLog extends Log {
	readonly lines: { level: string; event: string; fields: LogFields }[];
	events(): string[];
}

/** A log that keeps its lines, for tests. */
export function recordingLog(lines: RecordingLog["lines"] = [], more: LogFields = {}): RecordingLog {
	const write =
		(level: string) =>
		(event: string, fields: LogFields = {}) => {
			lines.push({ level, event, fields: { ...more, ...fields } });
		};
	return {
		lines,
		events: () => lines.map((line) => line.event),
		debug: write("debug"),
		info: write("info"),
		warn: write("warn"),
		error: write("error"),
		with: (fields) => recordingLog(lines, { ...more, ...fields }),
	};
}
