import type { Log } from "./log.js";

export interface TraceExportOptions {
	/** The base URL of an OTLP receiver over HTTP; spans go to `/v1/traces` below it. */
	endpoint: string | undefined;
	service: string;
	log: Log;
}

/**
 * Sends traces to a receiver, where one is named and the OpenTelemetry packages are installed. Whoever registers a tracer
 * of their own, with `node --import`, leaves the endpoint to it.
 * @returns what sends the rest and stops
 */
export async function exportTraces({ endpoint, service, log }: TraceExportOptions): Promise<() => Promise<void>> {
	if (endpoint === undefined) return async () => {};
	const sdk = await packages();
	if (sdk === undefined) {
		const next =
			"npm install @opentelemetry/sdk-trace-node @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources";
		log.warn("traces.not_sent", { why: "the packages that send traces are not installed", next });
		return async () => {};
	}
	const url = `${endpoint.replace(/\/+$/, "")}/v1/traces`;
	const provider = new sdk.NodeTracerProvider({
		resource: sdk.resourceFromAttributes({ "service.name": service }),
		spanProcessors: [new sdk.BatchSpanProcessor(new sdk.OTLPTraceExporter({ url }))],
	});
	provider.register();
	log.info("traces.sent", { service });
	return async () => {
		await provider.shutdown().catch((error: unknown) => log.warn("traces.lost", { error }));
	};
}

async function packages() {
	try {
		const [{ NodeTracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }, { resourceFromAttributes }] =
			await Promise.all([
				import("@opentelemetry/sdk-trace-node"),
				import("@opentelemetry/exporter-trace-otlp-http"),
				import("@opentelemetry/resources"),
			]);
		return { NodeTracerProvider, BatchSpanProcessor, OTLPTraceExporter, resourceFromAttributes };
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
		throw error;
	}
}
