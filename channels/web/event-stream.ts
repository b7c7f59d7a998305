import type { Clock } from "../../src/clock.js";
import type { Hub, Sink } from "./hub.js";
import type { ServerFrame } from "./protocol.js";
import type { Visitor, VisitorDesk } from "./visitor-desk.js";

const HEARTBEAT_MS = 15_000;
const BUFFER_MAX_BYTES = 1024 * 1024;

/** The conversation as server-sent events; each part is an event with its own id, which `Last-Event-ID` brings back. */
export function eventStream(
	visitor: Visitor,
	last: string | undefined,
	{ desk, hub, clock }: { desk: VisitorDesk; hub: Hub; clock: Clock },
): Response {
	const encoder = new TextEncoder();
	let stop = () => {};
	const body = new ReadableStream<Uint8Array>(
		{
			async start(controller) {
				let open = true;
				const write = (text: string): void => {
					if (!open) return;
					if ((controller.desiredSize ?? 0) <= 0) end();
					else controller.enqueue(encoder.encode(text));
				};
				const end = (): void => {
					if (!open) return;
					stop();
					controller.close();
				};
				const sink: Sink = { send: (frame) => write(eventOf(frame)), close: end };
				const beat = (): void => {
					write(": still here\n\n");
					cancelBeat = clock.after(HEARTBEAT_MS, beat);
				};
				let cancelBeat = clock.after(HEARTBEAT_MS, beat);
				const member = hub.join(desk.addressOf(visitor.session), sink);
				stop = () => {
					open = false;
					cancelBeat();
					member.leave();
				};
				try {
					member.begin(await desk.history(visitor.session, last));
				} catch {
					end();
				}
			},
			cancel() {
				stop();
			},
		},
		new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_MAX_BYTES }),
	);
	return new Response(body, {
		headers: {
			"content-type": "text/event-stream; charset=utf-8",
			"cache-control": "no-store, no-transform",
			"x-accel-buffering": "no",
		},
	});
}

function eventOf(frame: ServerFrame): string {
	const id = idOf(frame);
	return `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(frame)}\n\n`;
}

/** Only a part moves the mark: everything said before it has then been seen. */
function idOf(frame: ServerFrame): string | undefined {
	if (frame.type === "part") return frame.entry.id;
	if (frame.type === "history") return frame.entries.findLast((entry) => entry.from === "agent")?.id;
	return undefined;
}
