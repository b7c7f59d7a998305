/** Lets Node import TypeScript and JSX, unless it does already, or a test runner transforms what is imported from here. */
export async function readTypeScript(): Promise<void> {
	if (/\btsx\b/.test(process.execArgv.join(" ")) || "env" in import.meta) return;
	const { register } = await import("tsx/esm/api");
	register();
}
