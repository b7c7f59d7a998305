import { Command, InvalidArgumentError, Option } from "commander";

/** What is asked of one chaos run. */
export interface ChaosOptions {
	messages: number;
	/** SIGKILLs of processes that run turns. */
	kills: number;
	redisRestarts: number;
	/** Share of the messages that are handed over more than once. */
	duplicates: number;
	/** Decides everything injected. */
	seed: number;
	calls: number;
	workers: number;
	gateways: number;
	/** `direct`: gateways run turns. `worker`: gateways only accept. `both`: some of each, over one Redis. */
	way: "direct" | "worker" | "both";
	backend: "redis" | "embedded";
	/** `appendfsync` of the Redis that is started. */
	fsync: "everysec" | "always";
	/** How many calls are open at once. */
	open: number;
	json: boolean;
	/** Keep the folder with logs and data also when nothing was wrong. */
	keep: boolean;
}

const defaults: ChaosOptions = {
	messages: 2_000,
	kills: 20,
	redisRestarts: 2,
	duplicates: 0.05,
	seed: 1,
	calls: 0,
	workers: 2,
	gateways: 2,
	way: "both",
	backend: "redis",
	fsync: "everysec",
	open: 40,
	json: false,
	keep: false,
};

/** Fills in what was not asked for, so that it fits together. */
export function chaosOptions(asked: Partial<ChaosOptions>): ChaosOptions {
	const options = { ...defaults, ...asked };
	const calls = options.calls > 0 ? options.calls : Math.max(1, Math.round(options.messages / 40));
	if (options.backend === "redis")
		return { ...options, calls, workers: options.way === "direct" ? 0 : options.workers };
	return { ...options, calls, redisRestarts: 0, workers: 0, gateways: 1, way: "direct" };
}

/** Reads a command line. Prints what is wrong and ends the process when it cannot be read. */
export function readOptions(argv: readonly string[]): ChaosOptions {
	const command = new Command("chaos")
		.description("kills, restarts, duplicates and overloads Callboard, and counts what was lost, repeated or reordered")
		.option("--messages <n>", "messages that people send in all", whole, defaults.messages)
		.option("--kills <n>", "SIGKILLs of processes that run turns", whole, defaults.kills)
		.option("--redis-restarts <n>", "restarts of Redis, most of them by SIGKILL", whole, defaults.redisRestarts)
		.option("--duplicates <share>", "share of messages handed over more than once", share, defaults.duplicates)
		.option("--seed <n>", "decides all that is injected", whole, defaults.seed)
		.option("--calls <n>", "conversations; 0: one for every 40 messages", whole, defaults.calls)
		.option("--open <n>", "conversations going on at once", whole, defaults.open)
		.option("--workers <n>", "processes that only run turns and send", whole, defaults.workers)
		.option("--gateways <n>", "processes that accept messages", whole, defaults.gateways)
		.addOption(choice("--way <way>", "who runs turns", ["direct", "worker", "both"], defaults.way))
		.addOption(choice("--backend <name>", "where calls live", ["redis", "embedded"], defaults.backend))
		.addOption(choice("--fsync <policy>", "appendfsync of Redis", ["everysec", "always"], defaults.fsync))
		.option("--json", "print the result as JSON", false)
		.option("--keep", "keep logs and data", false);
	return chaosOptions(command.parse([...argv], { from: "user" }).opts<ChaosOptions>());
}

function choice(flags: string, description: string, choices: readonly string[], given: string): Option {
	return new Option(flags, description).choices(choices).default(given);
}

function whole(text: string): number {
	const value = Number(text);
	if (Number.isSafeInteger(value) && value >= 0) return value;
	throw new InvalidArgumentError("write a whole number from 0.");
}

function share(text: string): number {
	const value = Number(text);
	if (value >= 0 && value <= 1) return value;
	throw new InvalidArgumentError("write a number from 0 to 1, such as 0.05.");
}
