import type { ChannelHost } from "../../src/channel/channel.js";
import { frameId, languageTag, parseObject, readClientFrame } from "./client-frame.js";
import { type Asset, serveAsset } from "./client-script.js";
import { preflight, readable } from "./cors.js";
import type { Credentials } from "./credentials.js";
import { eventStream } from "./event-stream.js";
import type { Hub } from "./hub.js";
import type { Origins } from "./origins.js";
import { type ErrorCode, type ErrorFrame, MAX_FRAME_BYTES } from "./protocol.js";
import { type RateLimit, rateKeyOfIp } from "./rate-limit.js";
import type { Session, Sessions } from "./session.js";
import { refusal, type Visitor, type VisitorDesk } from "./visitor-desk.js";
import type { WebSettings } from "./web-options.js";

export interface RouteParts {
	host: ChannelHost;
	desk: VisitorDesk;
	hub: Hub;
	sessions: Sessions;
	credentials: Credentials;
	origins: Origins;
	settings: WebSettings;
	/** New visitors a minute and IP address. */
	newcomers: RateLimit;
	assets: { widget: Asset; page: Asset; pageStyle: Asset; pageScript: Asset };
}

const STATUS: Record<ErrorCode, number> = {
	bad: 400,
	undeclared: 422,
	conflict: 409,
	too_long: 413,
	rate: 429,
	busy: 429,
	origin: 403,
	session: 401,
	unavailable: 503,
};

const PAGE_POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"connect-src 'self'",
	"img-src 'self' https: data:",
	"media-src 'self' https:",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join("; ");

/** The HTTP side of the chat: a request in, a response out. */
export async function answer(request: Request, ip: string, parts: RouteParts): Promise<Response> {
	const { settings, origins, assets } = parts;
	const { pathname } = new URL(request.url);
	const reading = request.method === "GET" || request.method === "HEAD";
	if (pathname === "/" && reading) {
		const response = serveAsset(assets.page, request);
		response.headers.set("content-security-policy", PAGE_POLICY);
		return response;
	}
	const name = pathname.slice(settings.path.length + 1);
	if (name === "widget.js" && reading) {
		const response = serveAsset(assets.widget, request);
		response.headers.set("access-control-allow-origin", "*");
		response.headers.set("cross-origin-resource-policy", "cross-origin");
		return response;
	}
	if (name === "page.css" && reading) return serveAsset(assets.pageStyle, request);
	if (name === "page.js" && reading) return serveAsset(assets.pageScript, request);
	const call = CALLS.get(name);
	if (call === undefined) return Response.json({ error: "not_found" }, { status: 404 });

	// A refused page may read that it is refused, so that whoever embeds the chat learns why; it reads nothing else.
	if (request.method === "OPTIONS") return readable(preflight(), request, true);
	if (!origins.allows(request)) {
		const refused = refusal("origin", `${request.headers.get("origin")} is not in allowedOrigins of the web channel`);
		return readable(errorResponse(refused), request, true);
	}
	if (request.method !== call.method) return readable(methodRefused(call.method), request, true);
	return readable(await call.run(request, ip, parts), request, true);
}

interface Call {
	method: "GET" | "POST";
	run(request: Request, ip: string, parts: RouteParts): Promise<Response>;
}

const CALLS = new Map<string, Call>([
	["session", { method: "POST", run: startSession }],
	["messages", { method: "POST", run: takeMessage }],
	["history", { method: "GET", run: sendHistory }],
	["events", { method: "GET", run: sendEvents }],
	["socket", { method: "GET", run: async () => errorResponse(refusal("bad", "this address is a WebSocket"), 426) }],
]);

/** Gives a new visitor a session, or a known one a fresh expiry. */
async function startSession(request: Request, ip: string, parts: RouteParts): Promise<Response> {
	const { sessions, credentials, origins, settings, newcomers, host } = parts;
	const body = await readBody(request);
	if (body === undefined) return errorResponse(refusal("too_long", BODY_TOO_LARGE));
	const asked = parseObject(body) ?? {};
	const now = host.clock.now();
	const token = typeof asked.token === "string" ? asked.token : credentials.token(request);
	const session = token === undefined ? undefined : sessions.verify(token, now);
	const known = token === undefined || session === undefined ? undefined : { token, session };
	if (known === undefined) {
		const waitMs = newcomers.take(rateKeyOfIp(ip), crypto.randomUUID(), now);
		if (waitMs > 0) return errorResponse(refusal("rate", "too many new visitors from this address", undefined, waitMs));
	}
	const issued = sessions.issue(now, known);
	const byCookie = origins.same(request) && asked.token === undefined && asked.cookie !== false;
	const response = Response.json(
		{ expiresAt: issued.expiresAt, fresh: known === undefined, ...(byCookie ? {} : { token: issued.token }) },
		{ headers: NO_STORE },
	);
	if (byCookie) {
		const seconds = Math.floor((issued.expiresAt - now) / 1000);
		response.headers.set("set-cookie", credentials.setCookie(request, issued.token, seconds));
	}
	host.log.debug("web.session", { known: known !== undefined, days: settings.sessionDays });
	return response;
}

async function takeMessage(request: Request, ip: string, parts: RouteParts): Promise<Response> {
	const session = sessionOf(request, parts);
	if (session === undefined) return noSession();
	const body = await readBody(request);
	if (body === undefined) return errorResponse(refusal("too_long", BODY_TOO_LARGE));
	const frame = readClientFrame(body);
	if (frame?.type !== "message" && frame?.type !== "event") {
		return errorResponse(refusal("bad", "this is neither a message nor an event", frameId(body)));
	}
	const reply = await parts.desk.take(visitorOf(request, session, ip), frame);
	return reply.type === "ack" ? Response.json(reply, { headers: NO_STORE }) : errorResponse(reply);
}

async function sendHistory(request: Request, _ip: string, parts: RouteParts): Promise<Response> {
	const session = sessionOf(request, parts);
	if (session === undefined) return noSession();
	const last = new URL(request.url).searchParams.get("last") ?? undefined;
	return Response.json(await parts.desk.history(session, last), { headers: NO_STORE });
}

async function sendEvents(request: Request, ip: string, parts: RouteParts): Promise<Response> {
	const session = sessionOf(request, parts);
	if (session === undefined) return noSession();
	const last = request.headers.get("last-event-id") ?? undefined;
	return eventStream(visitorOf(request, session, ip), last, { ...parts, clock: parts.host.clock });
}

const BODY_TOO_LARGE = `the body is above ${MAX_FRAME_BYTES} bytes`;
const NO_STORE = { "cache-control": "no-store" };

function sessionOf(request: Request, { credentials, host }: RouteParts): Session | undefined {
	return credentials.session(request, host.clock.now());
}

function visitorOf(request: Request, session: Session, ip: string): Visitor {
	const [first] = (request.headers.get("accept-language") ?? "").split(/[,;]/);
	return { session, ip, language: languageTag(first) };
}

function noSession(): Response {
	return errorResponse(refusal("session", "there is no valid session"));
}

function errorResponse(frame: ErrorFrame, status = STATUS[frame.code]): Response {
	const wait = frame.retryAfterMs;
	const headers = { ...NO_STORE, ...(wait === undefined ? {} : { "retry-after": `${Math.ceil(wait / 1000)}` }) };
	return Response.json(frame, { status, headers });
}

function methodRefused(allow: string): Response {
	return Response.json({ error: "method_not_allowed" }, { status: 405, headers: { allow } });
}

/** Reads at most one frame's worth; undefined when there is more. */
async function readBody(request: Request): Promise<string | undefined> {
	if (Number(request.headers.get("content-length") ?? 0) > MAX_FRAME_BYTES) return undefined;
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of request.body ?? []) {
		size += chunk.byteLength;
		if (size > MAX_FRAME_BYTES) return undefined;
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}
