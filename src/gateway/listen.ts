import type { Server } from "node:http";
import { CallboardError } from "../errors.js";

/** Resolves once the server listens; rejects with an error that says what to do. */
export function listen(server: Server, port: number, host: string): Promise<void> {
	return new Promise((resolve, reject) => {
		const refuse = (cause: NodeJS.ErrnoException) => reject(explain(cause, port, host));
		server.once("error", refuse);
		server.listen(port, host, () => {
			server.off("error", refuse);
			resolve();
		});
	});
}

function explain(cause: NodeJS.ErrnoException, port: number, host: string): Error {
	const where = `${host}:${port}`;
	switch (cause.code) {
		case "EADDRINUSE":
			return new CallboardError("PORT_IN_USE", "operator", `port ${port} is already taken by another program`, {
				where,
				next: `stop that program, or choose another port with PORT=${port === 65_535 ? port - 1 : port + 1}`,
				cause,
			});
		case "EACCES":
			return new CallboardError("PORT_REFUSED", "operator", `this user may not listen on port ${port}`, {
				where,
				next: "choose a port above 1023, such as PORT=3000, and let a reverse proxy answer the public one",
				cause,
			});
		case "EADDRNOTAVAIL":
		case "ENOTFOUND":
		case "EAI_AGAIN":
			return new CallboardError("HOST_UNKNOWN", "operator", `this machine has no address ${host}`, {
				where,
				next: "set HOST=127.0.0.1 for this machine only, or HOST=0.0.0.0 for every network",
				cause,
			});
		default:
			return cause;
	}
}
