/** BullMQ and nothing else: a job that does nothing, added by one process and processed by another. */
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { answer } from "./answer.js";
import { Answers, type Crowd, drive, messages, type Pace, spoken } from "./load.js";

const queueName = "raw";
const answers = new Answers();
let queue: Queue;
let worker: Worker | undefined;

const connect = (port: number) => new Redis({ port, host: "127.0.0.1", maxRetriesPerRequest: null });

answer({
	/** @param options.concurrency 0 for a process that only adds */
	async start({ port, concurrency }: { port: number; concurrency: number }) {
		queue = new Queue(queueName, { connection: connect(port), defaultJobOptions: { removeOnComplete: true } });
		await queue.waitUntilReady();
		if (concurrency === 0) return;
		worker = new Worker(queueName, async (job) => answers.heard((job.data as { text: string }).text), {
			connection: connect(port),
			concurrency,
			autorun: false,
			removeOnComplete: { count: 0 },
		});
		worker.on("error", () => {});
		await worker.waitUntilReady();
	},
	/** Adds a crowd's messages, at a pace; each is done with once it is added. */
	async add({ crowd, pace }: { crowd: Crowd; pace: Pace }) {
		return drive(crowd, pace, async (said) => void (await queue.add("message", said)));
	},
	/** Adds them all as quickly as BullMQ can. */
	async fill({ crowd }: { crowd: Crowd }) {
		const all = [...messages(crowd)].map(({ chat, seq }) => ({ name: "message", data: spoken(chat, seq) }));
		for (let at = 0; at < all.length; at += 500) await queue.addBulk(all.slice(at, at + 500));
	},
	clear: () => answers.clear(),
	work: () => void worker?.run(),
	/** Once so many were processed. */
	async measured({ expected }: { expected: number }) {
		await answers.reach(expected);
		global.gc?.();
		return answers.measured(expected);
	},
	async stop() {
		await worker?.close(true);
		await queue.close();
	},
});
