import { randomUUID } from "node:crypto";

/** Somebody at the web chat of a running process, without a browser. */
export interface WebVisitor {
	says(text: string): Promise<void>;
	/** Resolves once the transcript, or what is said from now on, holds the words. */
	hears(words: string): Promise<void>;
	/** The same visitor at the same chat, which is served elsewhere now. */
	back(url: string): Promise<WebVisitor>;
}

export async function openChat(url: string, known?: string): Promise<WebVisitor> {
	const post = (path: string, body: object, token?: string) => {
		const headers = {
			"content-type": "application/json",
			...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
		};
		return fetch(`${url}/chat/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
	};
	const token = known ?? ((await (await post("session", { cookie: false })).json()) as { token: string }).token;
	return {
		async says(text) {
			const answer = await post(
				"messages",
				{ type: "message", id: randomUUID(), content: { kind: "text", text } },
				token,
			);
			if (!answer.ok) throw new Error(`the chat answered ${answer.status}: ${await answer.text()}`);
		},
		async hears(words) {
			const headers = { authorization: `Bearer ${token}` };
			const stream = await fetch(`${url}/chat/events`, { headers, signal: AbortSignal.timeout(30_000) });
			let seen = "";
			for await (const piece of stream.body ?? []) {
				seen += Buffer.from(piece).toString("utf8");
				if (seen.includes(words)) return;
			}
			throw new Error(`the chat closed without saying "${words}":\n${seen}`);
		},
		back: (there) => openChat(there, token),
	};
}
