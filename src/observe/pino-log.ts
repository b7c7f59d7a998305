import { type Logger, pino } from "pino";
import type { Clock } from "../clock.js";
import type { LogLevel } from "../config.js";
import type { Log, LogFields } from "./log.js";
import { lineOf } from "./log-line.js";
import { mask } from "./mask.js";

export interface PinoLogOptions {
	level: LogLevel;
	clock: Clock;
	/** `json`: one object a line, for machines. `line`: one short line, for a person who watches. */
	form: "json" | "line";
	/** Where lines go. */
	output: { write(line: string): unknown };
}

/** The log of a running process. Personal data and secrets are masked in every field before a line is made. */
export function pinoLog(options: PinoLogOptions): Log {
	const { output } = options;
	const destination = options.form === "json" ? output : { write: (json: string) => void output.write(lineOf(json)) };
	const logger = pino(
		{
			level: options.level,
			base: null,
			messageKey: "event",
			timestamp: () => `,"time":"${new Date(options.clock.now()).toISOString()}"`,
			formatters: { level: (label) => ({ level: label }) },
		},
		{ write: (line: string) => void destination.write(line) },
	);
	return wrap(logger, {});
}

/** `bound` goes into every line; what a line says itself under the same name takes its place. */
function wrap(logger: Logger, bound: LogFields): Log {
	const write =
		(level: "debug" | "info" | "warn" | "error") =>
		(event: string, fields: LogFields = {}) => {
			if (logger.isLevelEnabled(level)) logger[level]({ ...bound, ...(mask(fields) as LogFields) }, event);
		};
	return {
		debug: write("debug"),
		info: write("info"),
		warn: write("warn"),
		error: write("error"),
		with: (fields) => wrap(logger, { ...bound, ...(mask(fields) as LogFields) }),
	};
}
