/** Lets Node import TypeScript and JSX, unless it does already, or a test runner transforms what is imported from here. */
export async function readTypeScript(): Promise<void> {
	const loads = /(^| )(-r|--(import|require|loader|experimental-loader))[ =]\S*\btsx\b/.test(
		process.execArgv.join(" "),
	);
	if (loads || "env" in import.meta) return;
	const { register } = await import("tsx/esm/api");
	register();
}
