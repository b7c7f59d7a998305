import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { silentLog } from "../../src/observe/log.js";
import { check } from "./check.js";
import { Disturber } from "./disturber.js";
import type { LedgerLine, LedgerNews, LedgerOrder } from "./ledger-line.js";
import { openStore, type Role, type Store } from "./node-order.js";
import type { ChaosOptions } from "./options.js";
import { makePlan, type Plan } from "./plan.js";
import { post } from "./post.js";
import { Producer } from "./producer.js";
import { bundle, startProgram } from "./program.js";
import { leftInRedis } from "./redis-leftovers.js";
import { RedisServer } from "./redis-server.js";
import { type ChaosReport, reportOf } from "./report.js";
import { Slot } from "./slot.js";
import { Watch } from "./watch.js";

/** How long nothing may happen while something is left to do, ms. */
const STUCK_MS = 30_000;
/** When a platform gives up waiting for an acknowledgement, ms. */
const PATIENCE_MS = 5_000;
/** Rows of history that one message makes at most. */
const ROWS_A_MESSAGE = 8;

/**
 * Runs Callboard under everything that the plan of these options injects, and checks what came of it.
 * @param told hears of everything injected, a line each
 */
export async function chaos(options: ChaosOptions, told: (line: string) => void = () => {}): Promise<ChaosReport> {
	const folder = mkdtempSync(join(tmpdir(), "callboard-chaos-"));
	const cleanUp: (() => unknown)[] = [];
	try {
		const report = await play(options, folder, cleanUp, told);
		if (report.faults.length > 0 || options.keep) told(`logs, ledger and data are in ${folder}`);
		else cleanUp.unshift(() => rmSync(folder, { recursive: true, force: true }));
		return report;
	} finally {
		for (const clean of cleanUp.reverse()) await clean();
	}
}

async function play(
	options: ChaosOptions,
	folder: string,
	cleanUp: (() => unknown)[],
	told: (line: string) => void,
): Promise<ChaosReport> {
	const plan = makePlan(options);
	const watch = new Watch(told);
	const { seed } = options;

	const path = join(folder, "ledger");
	const order: LedgerOrder = { path, seed };
	const ledger = startProgram(bundle("ledger.ts"), order, join(folder, "ledger.out"));
	cleanUp.push(() => ledger.kill("SIGKILL"));
	const [{ port }] = (await once(ledger, "message")) as [{ port: number }];
	ledger.on("message", (news: LedgerNews) => {
		if ("lines" in news) watch.take(news.lines);
	});

	const redis = options.backend === "redis" ? await RedisServer.start(join(folder, "redis"), options.fsync) : undefined;
	cleanUp.push(() => redis?.stop());
	const store: Store =
		redis === undefined ? { kind: "embedded", path: join(folder, "store") } : { kind: "redis", port: redis.port };

	const file = bundle("node.ts");
	const keep = ROWS_A_MESSAGE * Math.max(...plan.calls.map(({ messages }) => messages.length));
	const died: string[] = [];
	const starts: number[] = [];
	let disturber: Disturber | undefined;
	const slots = rolesOf(options).map(
		([name, role]) =>
			new Slot({
				file,
				folder,
				order: { name, role, store, ledger: port, seed, keep: Math.max(1_000, keep) },
				asked: (address, by) => watch.alive(address, by),
				started: (ms) => starts.push(ms),
				ended: (how, inStart) => {
					told(how);
					if (!inStart || disturber?.storeInTrouble !== true) died.push(how);
				},
			}),
	);
	cleanUp.push(() => Promise.all(slots.map((slot) => slot.abandon())));
	await Promise.all(slots.map((slot) => slot.start()));
	const down = slots.find(({ port }) => port === undefined);
	if (down !== undefined) throw new Error(readFileSync(join(folder, `${down.name}.out`), "utf8"));

	const began = Date.now();
	const gateways = slots.filter(({ role }) => role !== "worker");
	const producer = new Producer({ gateways, watch, patienceMs: PATIENCE_MS });
	disturber = new Disturber({ slots, redis, watch, told });
	const disturbed = disturber.run(plan.disturbances);
	const idle = stuck(watch);
	await Promise.race([inTurn(plan, options.open, producer), idle]);
	await Promise.race([Promise.all([producer.end(), disturbed]), idle]);
	producer.giveUp();
	const left = await untilNothingIsLeft(gateways, watch);
	const ms = watch.lastLineAt - began;
	await Promise.all(slots.map((slot) => slot.stop()));

	const backend = openStore(store, silentLog);
	await backend.open();
	try {
		const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
		if (redis !== undefined && left.length === 0) left.push(...(await leftInRedis(redis.port)));
		const checked = await check({ plan, backend, left, news: producer.handOvers.news, lines: lines.map(toLine) });
		return reportOf({ options, plan, watch, disturber, producer, died, starts, checked, ms });
	} finally {
		await backend.close();
	}
}

function toLine(text: string): LedgerLine {
	return JSON.parse(text) as LedgerLine;
}

/** Who runs, by name. */
function rolesOf({ way, gateways, workers, backend }: ChaosOptions): [string, Role][] {
	const named = (name: string, count: number, role: (index: number) => Role) =>
		Array.from({ length: count }, (_, index): [string, Role] => [`${name}-${index + 1}`, role(index)]);
	const both = (index: number): Role => (index % 2 === 0 ? "all" : "gateway");
	if (backend === "embedded") return [["process-1", "all"]];
	return [
		...named("gateway", gateways, way === "direct" ? () => "all" : way === "worker" ? () => "gateway" : both),
		...named("worker", workers, () => "worker"),
	];
}

/** Every call is talked through, so many at once. */
async function inTurn({ calls }: Plan, open: number, producer: Producer): Promise<void> {
	const waiting = [...calls];
	const talking = Array.from({ length: open }, async () => {
		for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) await producer.talk(call);
	});
	await Promise.all(talking);
}

/** Resolves when nothing has happened for too long. */
async function stuck(watch: Watch): Promise<void> {
	do await sleep(1_000, undefined, { ref: false });
	while (Date.now() - watch.lastLineAt < STUCK_MS);
}

/** What the store still has to do after nothing has happened for too long; nothing, if all is well. */
async function untilNothingIsLeft(gateways: readonly Slot[], watch: Watch): Promise<string[]> {
	for (;;) {
		await sleep(500);
		const port = gateways.find((slot) => slot.port !== undefined)?.port;
		const answer = port === undefined ? undefined : await post(port, "/left", {}).catch(() => undefined);
		if (answer?.status === 200 && answer.body.outcome === "") return [];
		if (Date.now() - watch.lastLineAt > STUCK_MS) return String(answer?.body.outcome ?? "no gateway is up").split("; ");
	}
}
