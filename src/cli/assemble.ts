import type { AgentDeclaration } from "../agent/declaration.js";
import type { Channel } from "../channel/channel.js";
import type { Clock } from "../clock.js";
import type { Config } from "../config.js";
import type { Backend } from "../engine/backend.js";
import type { Desk } from "../engine/desk.js";
import { createRuntime, type Role, type Runtime } from "../engine/runtime.js";
import { type DeskServer, serveDesk } from "../gateway/desk-server.js";
import { type Gateway, startGateway } from "../gateway/gateway.js";
import type { Model } from "../model/model.js";
import type { Log } from "../observe/log.js";
import { exportTraces } from "../observe/trace-export.js";
import { runTurn } from "../turn/run-turn.js";
import { deskNotePath, deskOver } from "./open-desk.js";
import { healthOf, metricsOf } from "./operator-view.js";
import type { ExitCode, Shell } from "./shell.js";
import { watchStrayErrors } from "./stray-errors.js";

export interface Parts {
	config: Config;
	agent: AgentDeclaration;
	model: Model;
	backend: Backend;
	/** Each is a door of its channel's name. */
	channels: readonly Channel[];
	clock: Clock;
	log: Log;
	/** Default: all. */
	roles?: readonly Role[];
}

/** Puts doors, agent, model and backend together. Nothing is started. */
export function assemble({ config, agent, model, backend, channels, clock, log, roles }: Parts): Runtime {
	const doors = channels.map((channel) => ({ name: channel.name, channel, agent, model, timeZone: config.timeZone }));
	const limits = { turns: config.concurrency, sends: config.concurrency };
	return createRuntime({ backend, doors, runTurn, clock, log, limits, ...(roles && { roles }) });
}

/** How long a process that is asked to stop may finish what runs. */
export const graceMs = 20_000;

/**
 * Starts runtime and HTTP server, tells where it is reached, and serves until the process is asked to stop; then takes
 * nothing new and finishes what runs. Resolves to 1 when it ended because something threw outside of any turn.
 */
export async function serve(parts: Parts, shell: Shell, started: (gateway: Gateway) => void): Promise<ExitCode> {
	const { config, clock, log, roles } = parts;
	const channels = roles === undefined || roles.includes("gateway") ? parts.channels : [];
	const runtime = assemble(parts);
	const orders = deskOver(parts.backend, parts.channels, clock, parts.agent.events);
	const stopAsked = shell.stopAsked();
	const flushTraces = await exportTraces({ ...config.traces, log });
	await runtime.start();
	let gateway: Gateway;
	try {
		const { port, host, trustProxy, adminToken: token } = config;
		const health = healthOf(runtime, clock);
		const admin = token && {
			token,
			metrics: metricsOf(runtime, clock),
			queues: parts.backend.queues ?? [],
			event: orders.event.bind(orders),
		};
		gateway = await startGateway({ port, host, trustProxy, channels, health, log, clock, ...(admin && { admin }) });
	} catch (error) {
		await runtime.stop(0);
		throw error;
	}
	const desk = await deskOf(orders, parts);
	started(gateway);
	const stray = watchStrayErrors(log);
	const why = await Promise.race([stopAsked, stray.fatal]);
	log.info("process.stopping", { graceMs });
	await desk?.stop();
	await gateway.stop(1000);
	await runtime.stop(graceMs);
	await flushTraces();
	stray.release();
	return why === "fatal" ? 1 : 0;
}

/** A store on disk lets only one process in, so this one takes orders for it; any other can be opened beside it. */
async function deskOf(desk: Desk, { config, backend, log }: Parts): Promise<DeskServer | undefined> {
	if (backend.name !== "embedded") return undefined;
	return serveDesk(desk, { path: deskNotePath(config), log });
}
