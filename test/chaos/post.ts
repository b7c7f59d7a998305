import { Agent, request } from "node:http";

export interface PostAnswer {
	status: number;
	body: Record<string, unknown>;
}

const lines = new Agent({ keepAlive: true, maxSockets: 1_000 });

/**
 * Posts JSON to a server on this machine.
 * @throws Error when the line breaks or the signal aborts before the whole answer is there
 */
export function post(port: number, path: string, body: object, signal?: AbortSignal): Promise<PostAnswer> {
	return new Promise((resolve, reject) => {
		const text = JSON.stringify(body);
		const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
		const options = { host: "127.0.0.1", port, path, method: "POST", headers, agent: lines };
		const asked = request({ ...options, ...(signal && { signal }) }, (response) => {
			const chunks: Buffer[] = [];
			response.on("data", (chunk: Buffer) => chunks.push(chunk));
			response.on("error", reject);
			response.on("end", () => {
				try {
					resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) });
				} catch (error) {
					reject(error);
				}
			});
		});
		asked.on("error", reject);
		asked.end(text);
	});
}
