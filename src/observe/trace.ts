import {
	type Attributes,
	type Context,
	context,
	isSpanContextValid,
	ProxyTracerProvider,
	ROOT_CONTEXT,
	type Span,
	SpanKind,
	SpanStatusCode,
	trace,
} from "@opentelemetry/api";
import { CallboardError } from "../errors.js";

/** What a span says of itself: ids, names, counts and codes. Never anybody's words, nor a chat or phone number. */
export type Facts = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
	/** How it stands to other processes. Default `internal`. */
	kind?: "server" | "client" | "producer" | "consumer" | "internal";
	/** W3C trace context of what caused it. Default: the span that is running here. */
	parent?: string | undefined;
	/** Trace contexts of what else led to it. */
	links?: readonly (string | undefined)[];
	facts?: Facts;
}

/** A span that is under way. */
export interface Traced {
	/** Its W3C trace context, for what it causes elsewhere; undefined when nothing is traced. */
	readonly traceparent: string | undefined;
	tell(facts: Facts): void;
	/** It did not come to what it should, for a reason in one stable word. */
	failed(code: string): void;
}

const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/;

/**
 * Runs something as a span of whatever tracer is registered with the OpenTelemetry API; without one it only runs it.
 * What is thrown goes on, and is on the span by its code alone.
 */
export function traced<T>(name: string, options: SpanOptions, run: (span: Traced) => Promise<T>): Promise<T> {
	return isTracing() ? spanned(name, options, run) : run(untraced(options.parent));
}

async function spanned<T>(name: string, options: SpanOptions, run: (span: Traced) => Promise<T>): Promise<T> {
	const { span, under } = begin(name, options);
	try {
		return await context.with(trace.setSpan(under, span), () => run(tracedOf(span)));
	} catch (error) {
		fail(span, codeOf(error));
		throw error;
	} finally {
		span.end();
	}
}

/**
 * Runs something that does several things beside each other, each as a span of its own.
 * @param told what to say of each once they are done
 */
export async function tracedTogether<T>(
	spans: readonly { name: string; facts: Facts }[],
	run: () => Promise<T>,
	told: (result: T, span: Traced, index: number) => void,
): Promise<T> {
	if (!isTracing()) return run();
	const begun = spans.map(({ name, facts }) => begin(name, { facts }));
	const [only, second] = begun;
	const under = only !== undefined && second === undefined ? trace.setSpan(only.under, only.span) : context.active();
	try {
		const result = await context.with(under, run);
		for (const [index, { span }] of begun.entries()) told(result, tracedOf(span), index);
		return result;
	} catch (error) {
		for (const { span } of begun) fail(span, codeOf(error));
		throw error;
	} finally {
		for (const { span } of begun) span.end();
	}
}

/** Whether a tracer is registered: the API's own stand-in passes on to nobody until one is. */
function isTracing(): boolean {
	const provider = trace.getTracerProvider();
	return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer("callboard") !== undefined;
}

const nothing: Traced = { traceparent: undefined, tell() {}, failed() {} };

/** Without a tracer the trace of what caused it goes on as it came. */
function untraced(parent: string | undefined): Traced {
	if (parent === undefined) return nothing;
	const traceparent = spanContextOf(parent) === undefined ? undefined : parent;
	return { traceparent, tell() {}, failed() {} };
}

const KINDS = {
	server: SpanKind.SERVER,
	client: SpanKind.CLIENT,
	producer: SpanKind.PRODUCER,
	consumer: SpanKind.CONSUMER,
	internal: SpanKind.INTERNAL,
} as const;

function begin(name: string, { kind = "internal", parent, links = [], facts = {} }: SpanOptions) {
	const under = contextOf(parent) ?? context.active();
	const linked = links.flatMap((link) => {
		const found = link === parent ? undefined : spanContextOf(link);
		return found === undefined ? [] : [{ context: found }];
	});
	const options = { kind: KINDS[kind], attributes: attributesOf(facts), links: linked };
	return { span: trace.getTracer("callboard").startSpan(name, options, under), under };
}

function contextOf(traceparent: string | undefined): Context | undefined {
	const found = spanContextOf(traceparent);
	return found && trace.setSpanContext(ROOT_CONTEXT, found);
}

function spanContextOf(traceparent: string | undefined) {
	if (traceparent === undefined) return undefined;
	const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
	if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
	const found = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
	return isSpanContextValid(found) ? found : undefined;
}

function tracedOf(span: Span): Traced {
	return {
		get traceparent() {
			const { traceId, spanId, traceFlags } = span.spanContext();
			if (!isSpanContextValid({ traceId, spanId, traceFlags })) return undefined;
			return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
		},
		tell: (facts) => void span.setAttributes(attributesOf(facts)),
		failed: (code) => fail(span, code),
	};
}

function attributesOf(facts: Facts): Attributes {
	return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as Attributes;
}

function fail(span: Span, code: string): void {
	span.setStatus({ code: SpanStatusCode.ERROR, message: code });
}

/** The text of an error may quote people; its code cannot. */
function codeOf(error: unknown): string {
	if (error instanceof CallboardError) return error.code;
	return error instanceof Error ? error.name : "error";
}
