import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

interface ReceivedSpan {
	traceId: string;
	name: string;
	attributes?: unknown;
}

/** A receiver of traces over OTLP, and what it has got. */
export interface OtlpReceiver {
	url: string;
	readonly spans: ReceivedSpan[];
	/** Names of the services that sent something. */
	readonly services: Set<string>;
	close(): void;
}

interface Posted {
	resourceSpans: {
		resource: { attributes: { key: string; value: { stringValue: string } }[] };
		scopeSpans: { spans: ReceivedSpan[] }[];
	}[];
}

export async function otlpReceiver(): Promise<OtlpReceiver> {
	const spans: ReceivedSpan[] = [];
	const services = new Set<string>();
	const server = createServer(async (request, response) => {
		const pieces: Buffer[] = [];
		for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
		const { resourceSpans } = JSON.parse(Buffer.concat(pieces).toString("utf8")) as Posted;
		for (const { resource, scopeSpans } of resourceSpans) {
			services.add(resource.attributes.find(({ key }) => key === "service.name")?.value.stringValue ?? "");
			spans.push(...scopeSpans.flatMap((scope) => scope.spans));
		}
		response.writeHead(request.url === "/v1/traces" ? 200 : 404, { "content-type": "application/json" }).end("{}");
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	return { url: `http://127.0.0.1:${port}`, spans, services, close: () => server.close() };
}
