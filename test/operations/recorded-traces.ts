import { context, propagation, trace } from "@opentelemetry/api";
import {
	InMemorySpanExporter,
	NodeTracerProvider,
	type ReadableSpan,
	SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node";

/** Keeps every span that ends from now on. */
export class RecordedTraces {
	readonly #exporter = new InMemorySpanExporter();

	constructor() {
		new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(this.#exporter)] }).register();
	}

	get spans(): readonly ReadableSpan[] {
		return this.#exporter.getFinishedSpans();
	}

	/** The spans as an indented tree of names, in the order in which they began. */
	get tree(): readonly string[] {
		const spans = [...this.spans].sort((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1]);
		const ids = new Set(spans.map((span) => span.spanContext().spanId));
		const under = (parent: string | undefined, depth: number): string[] =>
			spans
				.filter(
					(span) =>
						(ids.has(span.parentSpanContext?.spanId ?? "") ? span.parentSpanContext?.spanId : undefined) === parent,
				)
				.flatMap((span) => [`${"  ".repeat(depth)}${span.name}`, ...under(span.spanContext().spanId, depth + 1)]);
		return under(undefined, 0);
	}

	clear(): void {
		this.#exporter.reset();
	}

	/** Nothing is traced in this process any more. */
	end(): void {
		trace.disable();
		context.disable();
		propagation.disable();
	}
}
