/** Structured facts of one log line. Never a customer's words, never a secret. */
export type LogFields = Record<string, unknown>;

/** The log every part writes to. `event` is a stable dotted name: `tool.refused`. */
export interface Log {
	debug(event: string, fields?: LogFields): void;
	info(event: string, fields?: LogFields): void;
	warn(event: string, fields?: LogFields): void;
	error(event: string, fields?: LogFields): void;
	/** A log whose every line also carries `fields`. */
	with(fields: LogFields): Log;
}

export const silentLog: Log = {
	debug() {},
	info() {},
	warn() {},
	error() {},
	with: () => silentLog,
};
