import { serveStatic } from "@hono/node-server/serve-static";
import { Hono } from "hono";
import type { Log } from "../observe/log.js";

/** Its style sheet and script are its own; styles inside elements are how it places things. */
const POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self' 'unsafe-inline'",
	"img-src 'self' data:",
	"font-src 'self'",
	"connect-src 'self'",
	"base-uri 'self'",
	"form-action 'self'",
	"frame-ancestors 'none'",
].join("; ");

/**
 * Bull-board over these queues, mounted at `path`; undefined when its packages are not installed, which is said in the
 * log.
 */
export async function queuePage(queues: readonly unknown[], path: string, log: Log): Promise<Hono | undefined> {
	const board = await bullBoard();
	if (board === undefined) {
		const next = "npm install @bull-board/api @bull-board/hono";
		log.warn("admin.no_queue_page", { why: "the packages of bull-board are not installed", next });
		return undefined;
	}
	const { createBullBoard, BullMQAdapter, HonoAdapter } = board;
	const adapter = new HonoAdapter(serveStatic).setBasePath(path);
	createBullBoard({
		queues: queues.map((queue) => new BullMQAdapter(queue as ConstructorParameters<typeof BullMQAdapter>[0])),
		serverAdapter: adapter,
		options: { uiConfig: { boardTitle: "Callboard", hideRedisDetails: true } },
	});
	const app = new Hono();
	app.use(async (c, next) => {
		await next();
		c.res.headers.set("content-security-policy", POLICY);
	});
	return app.route("/", adapter.registerPlugin());
}

async function bullBoard() {
	try {
		const [{ createBullBoard }, { BullMQAdapter }, { HonoAdapter }] = await Promise.all([
			import("@bull-board/api"),
			import("@bull-board/api/bullMQAdapter"),
			import("@bull-board/hono"),
		]);
		return { createBullBoard, BullMQAdapter, HonoAdapter };
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
		throw error;
	}
}
