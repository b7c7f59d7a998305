import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Channel, ChannelRoutes } from "../channel/channel.js";
import type { Clock } from "../clock.js";
import { CallboardError } from "../errors.js";
import type { Log } from "../observe/log.js";
import type { Health } from "./health.js";
import { notFound } from "./not-found.js";
import { routeFor } from "./route.js";

interface AppOptions {
	channels: readonly Channel[];
	health: (() => Promise<Health>) | undefined;
	/** Made by `adminApp`; what it does not serve is not found. */
	admin: Hono | undefined;
	log: Log;
	clock: Clock;
	timeoutMs: number;
	maxBodyBytes: number;
}

type Env = { Bindings: { ip: string } };

/** The HTTP side without a server: a request in, a response out. */
export function gatewayApp(options: AppOptions): Hono<Env> {
	const { channels, health, log, clock } = options;
	const app = new Hono<Env>();

	app.use(async (c, next) => {
		const began = clock.now();
		await next();
		for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
			if (!c.res.headers.has(name)) c.res.headers.set(name, value);
		}
		log.debug("gateway.request", {
			method: c.req.method,
			path: c.req.path,
			status: c.res.status,
			ms: clock.now() - began,
		});
	});
	app.use(
		bodyLimit({
			maxSize: options.maxBodyBytes,
			onError: () => failure(413, "too_large"),
		}),
	);
	app.get("/health", () => json(200, { status: "ok" }));
	app.get("/ready", async () => {
		const report = (await health?.()) ?? { ready: true, checks: {} };
		return json(report.ready ? 200 : 503, { ready: report.ready, checks: report.checks });
	});
	if (options.admin !== undefined) app.route("/", options.admin);
	app.all("*", (c) => {
		const routes = routeFor(channels, c.req.path);
		if (routes === undefined) return notFound(c.req.raw);
		return inTime(routes, c.req.raw, c.env.ip, options);
	});
	app.onError((error, c) => {
		if (error instanceof CallboardError && error.code === "BACKEND_UNAVAILABLE") {
			log.warn("gateway.unavailable", { path: c.req.path });
			return failure(503, "unavailable", { "retry-after": "5" });
		}
		log.error("gateway.failed", { path: c.req.path, error });
		return failure(500, "internal");
	});
	return app;
}

const SECURITY_HEADERS = {
	"x-content-type-options": "nosniff",
	"referrer-policy": "no-referrer",
	"content-security-policy": "default-src 'none'; frame-ancestors 'none'",
	"cross-origin-opener-policy": "same-origin",
	"cross-origin-resource-policy": "same-origin",
};

async function inTime(routes: ChannelRoutes, request: Request, ip: string, options: AppOptions): Promise<Response> {
	let cancel = () => {};
	const late = new Promise<Response>((resolve) => {
		cancel = options.clock.after(options.timeoutMs, () => {
			options.log.warn("gateway.timeout", { path: new URL(request.url).pathname });
			resolve(failure(504, "timeout"));
		});
	});
	try {
		return await Promise.race([routes.fetch(request, { ip }), late]);
	} finally {
		cancel();
	}
}

function failure(status: number, error: string, headers: Record<string, string> = {}): Response {
	return json(status, { error }, headers);
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
	return Response.json(body, { status, headers: { "cache-control": "no-store", ...headers } });
}
