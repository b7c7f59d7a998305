/** `1 tool`, `2 tools`. */
export function counted(things: readonly unknown[], name: string): string {
	return `${things.length} ${name}${things.length === 1 ? "" : "s"}`;
}
