/** Answers what `Child` asks: operations by name, and `processorMs` in each. */
export function answer(operations: Record<string, (argument: never) => unknown>): void {
	process.on("message", ({ id, operation, argument }: { id: number; operation: string; argument: never }) => {
		const run = async () => (operation === "processorMs" ? processorMs() : operations[operation]?.(argument));
		run().then(
			(value) => process.send?.({ id, value }),
			(error: Error) => process.send?.({ id, error: error.stack ?? error.message }),
		);
	});
	process.once("disconnect", () => process.exit(1));
}

/** Processor time that this process has used, ms. */
function processorMs(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
}
