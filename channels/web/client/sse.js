/**
 * Reads the `data` of server-sent events as they come; comments are skipped.
 * @param {ReadableStream<Uint8Array>} body
 * @param {(data: string) => void} onData
 * @param {() => void} onAlive called for every chunk, comments included
 */
export async function readEvents(body, onData, onAlive) {
	const reader = body.getReader();
	const decoder = new TextDecoder();
	let rest = "";
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return;
		onAlive();
		rest += decoder.decode(value, { stream: true });
		const events = rest.split("\n\n");
		rest = events.pop() ?? "";
		for (const event of events) {
			const data = event
				.split("\n")
				.filter((line) => line.startsWith("data: "))
				.map((line) => line.slice("data: ".length))
				.join("\n");
			if (data !== "") onData(data);
		}
	}
}
