import { readEvents } from "./sse.js";

/** @import { ClientFrame, ErrorFrame, ServerFrame } from "../protocol.js" */

/**
 * One connection, whatever it runs over. It is used until `closed` is called, and then replaced.
 * @typedef {object} Wire
 * @property {(frame: ClientFrame) => void} send
 * @property {() => void} close
 */

/**
 * @typedef {object} WireOptions
 * @property {string} base address of the chat: `https://host/chat`
 * @property {string | undefined} token
 * @property {string | undefined} last id of the newest part the page has
 * @property {string} language
 * @property {(frame: ServerFrame) => void} frame
 * @property {(code: number) => void} closed called once; 1009: a frame was too large for the server; 4401 and 4409 are its own codes
 */

const SILENT_MAX_MS = 45_000;
const PING_EVERY_MS = 25_000;

/**
 * A WebSocket.
 * @param {WireOptions} options
 * @returns {Wire}
 */
export function openSocket({ base, token, last, language, frame, closed }) {
	const socket = new WebSocket(`${base.replace(/^http/, "ws")}/socket`);
	let heard = true;
	const watch = setInterval(() => {
		if (!heard) return end(1006);
		heard = false;
		send({ type: "ping" });
	}, PING_EVERY_MS);
	let over = false;
	/** @param {number} code */
	const end = (code) => {
		if (over) return;
		over = true;
		clearInterval(watch);
		socket.close();
		closed(code);
	};
	/** @param {ClientFrame} message */
	const send = (message) => {
		if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
	};
	socket.onopen = () =>
		send({
			type: "hello",
			language,
			...(token === undefined ? {} : { token }),
			...(last === undefined ? {} : { last }),
		});
	socket.onmessage = (event) => {
		heard = true;
		if (!over) frame(JSON.parse(event.data));
	};
	socket.onerror = () => end(1006);
	socket.onclose = (event) => end(event.code);
	return { send, close: () => end(1000) };
}

/**
 * Server-sent events for what comes, a POST for what goes: where no socket gets through.
 * @param {WireOptions} options
 * @returns {Wire}
 */
export function openEvents({ base, token, last, frame, closed }) {
	const abort = new AbortController();
	const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
	let silence = setTimeout(() => end(1006), SILENT_MAX_MS);
	let over = false;
	/** @param {number} code */
	const end = (code) => {
		if (over) return;
		over = true;
		clearTimeout(silence);
		abort.abort();
		closed(code);
	};
	const alive = () => {
		clearTimeout(silence);
		silence = setTimeout(() => end(1006), SILENT_MAX_MS);
	};
	/** @param {string} data */
	const hear = (data) => {
		if (!over) frame(JSON.parse(data));
	};
	const listen = async () => {
		const response = await fetch(`${base}/events`, {
			headers: { ...headers, accept: "text/event-stream", ...(last === undefined ? {} : { "last-event-id": last }) },
			cache: "no-store",
			signal: abort.signal,
		});
		if (!response.ok || response.body === null) {
			hear(await response.text());
			return end(response.status === 401 ? 4401 : 1006);
		}
		await readEvents(response.body, hear, alive);
		end(1006);
	};
	/** @param {Extract<ClientFrame, { id: string }>} message */
	const post = async (message) => {
		const response = await fetch(`${base}/messages`, {
			method: "POST",
			headers: { ...headers, "content-type": "application/json" },
			body: JSON.stringify(message),
			signal: abort.signal,
		});
		const answer = await response.text();
		hear(response.status === 413 ? JSON.stringify(tooLarge(message.id)) : answer);
	};
	let going = Promise.resolve();
	const fail = () => end(1006);
	listen().catch(fail);
	return {
		send(message) {
			if (message.type === "message" || message.type === "event") going = going.then(() => post(message)).catch(fail);
		},
		close: () => end(1000),
	};
}

/**
 * What whoever cannot read a frame says of it: a server that closes the socket, or a proxy in front of it.
 * @param {string} id
 * @returns {ErrorFrame}
 */
export function tooLarge(id) {
	return { type: "error", code: "too_long", id, message: "this is too large for the server" };
}
