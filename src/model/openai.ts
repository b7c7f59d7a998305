import OpenAI from "openai";
import { type Clock, pause, systemClock } from "../clock.js";
import { CallboardError } from "../errors.js";
import { type Log, silentLog } from "../observe/log.js";
import { type Breaker, type BreakerPolicy, defaultBreaker, sharedBreaker } from "./breaker.js";
import { chatRequest } from "./chat-request.js";
import { readChat, type StreamedAnswer } from "./chat-stream.js";
import { costOf, openaiPrices, type Prices } from "./cost.js";
import { type Dialect, dialectOf, type Extra, isOpenAI, without } from "./dialect.js";
import { type Failure, failureOf } from "./failure.js";
import type { AskOptions, Model, ModelRequest, ModelResponse } from "./model.js";
import { modelError } from "./model-error.js";
import { defaultRetry, type RetryPolicy, retryDelay } from "./retry.js";
import { estimateUsage } from "./usage-estimate.js";
import { Watch } from "./watch.js";

/** What `openai()` is given. Only the key and the model have no default. */
export interface OpenAIOptions {
	/** The server's key. Servers that want none take any text. */
	apiKey: string;
	/** Where the server's API begins. Default `https://api.openai.com/v1`. */
	baseURL?: string;
	/** The model asked first: `gpt-4.1-mini`. */
	model: string;
	/** Models of the same server, asked in this order when the one before is unavailable. */
	fallbacks?: readonly string[];
	/** For one answer in all, tries and waits included, in ms. Default 120,000. */
	timeoutMs?: number;
	/** Longest silence of the server, before the first piece and between two, in ms. Default 45,000. */
	idleMs?: number;
	/** Tokens of one answer at most. Default: the server's. */
	maxOutputTokens?: number;
	/** Default: the server's. Models that reason refuse it. */
	temperature?: number;
	/** Added to OpenAI's list prices, which hold at OpenAI only. */
	prices?: Prices;
	retry?: Partial<RetryPolicy>;
	breaker?: Partial<BreakerPolicy>;
	/** What is known better of this server than its address tells. See docs/caching.md. */
	dialect?: Partial<Dialect>;
	clock?: Clock;
	log?: Log;
	/** Spreads retries in time: 0 up to 1. Default `Math.random`. */
	random?: () => number;
}

/**
 * A model behind a server that speaks Chat Completions: OpenAI's, or any compatible one by `baseURL`.
 *
 * @throws CallboardError with fault `operator`: `MODEL_BAD_URL` when `baseURL` is no URL, `MODEL_BAD_KEY` when the key
 * cannot be one
 */
export function openai(options: OpenAIOptions): Model {
	return new OpenAIModel(options);
}

/** One of the models in order of preference, with what is known of it. */
interface Candidate {
	readonly model: string;
	readonly breaker: Breaker;
	dialect: Dialect;
	/** What the server refused and is spared since. */
	readonly spared: Set<Extra>;
}

const waitForever = 2 ** 31 - 1;

class OpenAIModel implements Model {
	readonly name: string;
	readonly #options: OpenAIOptions;
	readonly #client: OpenAI;
	readonly #host: string;
	readonly #clock: Clock;
	readonly #log: Log;
	readonly #retry: RetryPolicy;
	readonly #prices: Prices;
	readonly #candidates: readonly Candidate[];

	constructor(options: OpenAIOptions) {
		const baseURL = options.baseURL ?? "https://api.openai.com/v1";
		if (!URL.canParse(baseURL)) {
			throw new CallboardError("MODEL_BAD_URL", "operator", "the model's base URL is not a URL", {
				next: "write it like https://api.openai.com/v1, or leave it out",
			});
		}
		if (!/^[\x21-\x7e]+$/.test(options.apiKey)) {
			throw new CallboardError(
				"MODEL_BAD_KEY",
				"operator",
				"the model's key holds a character that no key has, or is empty",
				{
					next: "copy it again, without quotes, spaces and line breaks",
				},
			);
		}
		this.#options = options;
		this.#clock = options.clock ?? systemClock;
		this.#log = options.log ?? silentLog;
		this.#retry = { ...defaultRetry, ...options.retry };
		const { host, hostname } = new URL(baseURL);
		this.#host = host;
		this.#prices = { ...(isOpenAI(hostname) ? openaiPrices : {}), ...options.prices };
		this.name = `${isOpenAI(hostname) ? "openai" : host}/${options.model}`;
		const dialect = { ...dialectOf(baseURL), ...options.dialect };
		this.#candidates = [options.model, ...(options.fallbacks ?? [])].map((model) => ({
			model,
			dialect,
			spared: new Set<Extra>(),
			breaker: sharedBreaker(this.#clock, baseURL, model, { ...defaultBreaker, ...options.breaker }),
		}));
		this.#client = new OpenAI({
			apiKey: options.apiKey,
			baseURL,
			adminAPIKey: null,
			organization: null,
			project: null,
			maxRetries: 0,
			timeout: waitForever,
			logLevel: "off",
		});
	}

	async ask(request: ModelRequest, options: AskOptions): Promise<ModelResponse> {
		const deadline = this.#clock.now() + (this.#options.timeoutMs ?? 120_000);
		const progress = { attempts: 0, streamed: false };
		let failure: Failure | undefined;
		let tried = this.#candidates[0]!;
		for (const candidate of this.#candidates) {
			const outcome = await this.#askOne(candidate, request, options, progress, deadline);
			if ("response" in outcome) return outcome.response;
			if (outcome.failure !== undefined) {
				failure = outcome.failure;
				tried = candidate;
			}
			if (failure !== undefined && !isUnavailable(failure)) break;
			this.#log.warn("model.unavailable", { model: candidate.model, host: this.#host, kind: failure?.kind ?? "open" });
		}
		throw modelError(
			failure,
			tried.model,
			this.#host,
			Math.min(...this.#candidates.map((each) => each.breaker.waitMs)),
		);
	}

	/** Asks one model until it answers or is not worth another try. No failure: it was not even asked. */
	async #askOne(
		candidate: Candidate,
		request: ModelRequest,
		options: AskOptions,
		progress: { attempts: number; streamed: boolean },
		deadline: number,
	): Promise<{ response: ModelResponse } | { failure: Failure | undefined }> {
		let failure: Failure | undefined;
		for (let attempt = 1; ; ) {
			options.signal.throwIfAborted();
			if (!candidate.breaker.admit()) return { failure };
			progress.attempts += 1;
			const { dialect } = candidate;
			const outcome = await this.#send(candidate, request, options, progress, deadline);
			if ("answer" in outcome)
				return { response: this.#response(outcome.answer, candidate, request, progress.attempts) };
			failure = outcome.failure;
			if (progress.streamed) {
				progress.streamed = false;
				options.onRestart?.();
			}
			if (failure.extra !== undefined && this.#spare(candidate, failure.extra, dialect)) continue;
			const delay = retryDelay(failure, attempt, this.#retry, this.#options.random ?? Math.random);
			this.#log.warn("model.failed", { model: candidate.model, host: this.#host, attempt, delay, ...failure });
			if (delay === undefined || this.#clock.now() + delay >= deadline) return { failure };
			attempt += 1;
			await pause(this.#clock, delay, options.signal);
		}
	}

	/** Leaves out what the server refused in a request of `dialect`; false when leaving it out did not help. */
	#spare(candidate: Candidate, extra: Extra, dialect: Dialect): boolean {
		if (candidate.spared.has(extra)) return candidate.dialect !== dialect;
		candidate.spared.add(extra);
		candidate.dialect = without(candidate.dialect, extra);
		this.#log.info("model.without", { model: candidate.model, host: this.#host, extra });
		return true;
	}

	/** One HTTP request, watched by the caller's signal, the deadline and the longest silence. */
	async #send(
		candidate: Candidate,
		request: ModelRequest,
		options: AskOptions,
		progress: { streamed: boolean },
		deadline: number,
	): Promise<{ answer: StreamedAnswer } | { failure: Failure }> {
		const { breaker, dialect } = candidate;
		const watch = new Watch(this.#clock, options.signal, deadline, this.#options.idleMs ?? 45_000);
		try {
			const body = chatRequest(request, dialect, {
				model: candidate.model,
				maxOutputTokens: this.#options.maxOutputTokens,
				temperature: this.#options.temperature,
			});
			const stream = await this.#client.chat.completions.create(body, { signal: watch.signal });
			const answer = await readChat(stream, {
				taken: callIds(request),
				onChunk: () => watch.heard(),
				onText: (piece) => {
					if (watch.signal.aborted) return;
					progress.streamed = true;
					options.onText?.(piece);
				},
			});
			watch.signal.throwIfAborted();
			breaker.succeeded();
			return { answer };
		} catch (thrown) {
			if (options.signal.aborted) {
				breaker.abandoned();
				throw options.signal.reason;
			}
			const failure: Failure = watch.signal.aborted ? { kind: "down" } : failureOf(thrown, dialect, this.#clock.now());
			if (failure.kind !== "down" && failure.kind !== "busy") breaker.succeeded();
			else if (breaker.failed()) this.#log.error("model.breaker-open", { model: candidate.model, host: this.#host });
			return { failure };
		} finally {
			watch.stop();
		}
	}

	#response(answer: StreamedAnswer, candidate: Candidate, request: ModelRequest, attempts: number): ModelResponse {
		const model = answer.model ?? candidate.model;
		const usage = answer.usage ?? estimateUsage(request, answer);
		const cost = costOf(usage, model, this.#prices) ?? costOf(usage, candidate.model, this.#prices);
		const calls = request.toolChoice === "none" ? [] : answer.calls;
		if (calls.length < answer.calls.length) this.#log.warn("model.ignored-tools-off", { model, host: this.#host });
		return {
			text: answer.text,
			calls,
			finish: answer.finish === "tools" && calls.length === 0 ? "stop" : answer.finish,
			usage,
			model,
			...(cost === undefined ? {} : { cost }),
			attempts,
		};
	}
}

/** Whether another model may do better. */
function isUnavailable(failure: Failure): boolean {
	return failure.kind === "down" || failure.kind === "busy" || failure.kind === "unknown-model";
}

function callIds(request: ModelRequest): ReadonlySet<string> {
	return new Set(
		request.history.flatMap((entry) => (entry.role === "assistant" ? (entry.calls ?? []).map((call) => call.id) : [])),
	);
}
