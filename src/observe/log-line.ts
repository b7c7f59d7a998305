/** One line for a person from one JSON line: `09:00:01 warn  tool.refused tool=book why="not now"`. */
export function lineOf(json: string): string {
	const { time, level, event, ...fields } = JSON.parse(json) as Record<string, unknown>;
	const facts = Object.entries(fields).map(([name, value]) => `${name}=${factOf(value)}`);
	const clock = String(time).slice(11, 19);
	return `${[clock, String(level).padEnd(5), String(event), ...facts].join(" ")}\n`;
}

function factOf(value: unknown): string {
	if (typeof value === "string") return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
	if (isError(value)) return JSON.stringify([value.where, value.message, value.next].filter(Boolean).join("; "));
	return JSON.stringify(value);
}

function isError(value: unknown): value is { message: string; where?: string; next?: string } {
	return typeof value === "object" && value !== null && "message" in value && "name" in value;
}
