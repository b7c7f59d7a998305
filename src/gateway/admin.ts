import { Hono } from "hono";
import type { Clock } from "../clock.js";
import type { Desk } from "../engine/desk.js";
import type { Log } from "../observe/log.js";
import { AdminPass } from "./admin-pass.js";
import { takeEvent } from "./event-route.js";
import { loginPage } from "./login-page.js";
import { queuePage } from "./queue-page.js";

export interface AdminOptions {
	/** Whoever has it may see everything here: `CALLBOARD_ADMIN_TOKEN`. */
	token: string;
	/** The page for Prometheus. */
	metrics(): Promise<{ type: string; text: string }>;
	/** BullMQ queues to show; none where the backend has none. */
	queues: readonly unknown[];
	/** Tells an agent of an event of the application. Without it `/events` does not exist. */
	event?: Desk["event"];
}

const NO_STORE = { "cache-control": "no-store" };
const QUEUES = "/admin/queues";

/**
 * `/metrics` and `/events` for programs that carry the token, and pages under `/admin` for people: after a form that asks for it, or
 * with the token too.
 */
export async function adminApp(options: AdminOptions & { clock: Clock; log: Log }): Promise<Hono> {
	const { metrics, event, clock, log } = options;
	const pass = new AdminPass(options.token, clock);
	const app = new Hono();

	app.get("/metrics", async (c) => {
		if (!pass.bearer(c.req.raw)) return refused();
		const { type, text } = await metrics();
		return new Response(text, { headers: { ...NO_STORE, "content-type": type } });
	});

	if (event !== undefined) {
		app.post("/events", (c) => (pass.bearer(c.req.raw) ? takeEvent(c.req.raw, event, log) : refused()));
	}

	app.get("/admin/login", () => loginPage({ wrong: false }));
	app.post("/admin/login", async (c) => {
		const given = new URLSearchParams(await c.req.text()).get("token") ?? "";
		if (!pass.is(given)) {
			log.warn("admin.refused");
			return loginPage({ wrong: true });
		}
		log.info("admin.entered");
		return moved("/admin", { "set-cookie": pass.cookie(c.req.raw) });
	});
	app.post("/admin/logout", (c) => moved("/admin/login", { "set-cookie": pass.noCookie(c.req.raw) }));

	app.use("/admin/*", async (c, next) => {
		if (pass.bearer(c.req.raw) || pass.browser(c.req.raw)) return next();
		const person = c.req.method === "GET" && (c.req.header("accept") ?? "").includes("text/html");
		return person ? moved("/admin/login") : refused();
	});
	const queues = options.queues.length === 0 ? undefined : await queuePage(options.queues, QUEUES, log);
	if (queues !== undefined) app.route(QUEUES, queues);
	app.get("/admin", () => {
		if (queues !== undefined) return moved(QUEUES);
		return new Response("Metrics are at /metrics. This backend has no queues to show.\n", { headers: NO_STORE });
	});
	return app;
}

function refused(): Response {
	const headers = { ...NO_STORE, "www-authenticate": 'Bearer realm="callboard"' };
	return Response.json({ error: "unauthorized" }, { status: 401, headers });
}

function moved(location: string, headers: Record<string, string> = {}): Response {
	return new Response(null, { status: 303, headers: { ...NO_STORE, location, ...headers } });
}
