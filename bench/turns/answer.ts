/** Answers what `Child` asks: operations by name. */
export function answer(operations: Record<string, (argument: never) => unknown>): void {
	process.on("message", ({ id, operation, argument }: { id: number; operation: string; argument: never }) => {
		const run = async () => operations[operation]?.(argument);
		run().then(
			(value) => process.send?.({ id, value }),
			(error: Error) => process.send?.({ id, error: error.stack ?? error.message }),
		);
	});
	process.once("disconnect", () => process.exit(1));
}
