/** Who writes what in which order: `each` messages of every one of `calls` people, `burst` at a time from one of them. */
export interface Crowd {
	calls: number;
	each: number;
	burst: number;
	/** Begins the name of every person, so that a later crowd is another one. */
	name: string;
	/** How many messages of each were sent before. Default 0. */
	from?: number;
	/** Short texts of many lengths, as in a chat of support; else all have about a hundred characters. */
	short?: true;
}

/** How the messages come: so many unanswered at once, or so many a second whatever becomes of them. */
export type Pace = { inFlight: number } | { perSecond: number };

export interface Said {
	chat: string;
	seq: number;
	text: string;
}

/** What one run came to. */
export interface Measured {
	/** From the first message to the last answer, ms. */
	ms: number;
	answers: number;
	/** Messages answered out of order, twice or never. */
	wrong: number;
	/** From handing a message over to its answer being sent, ms. */
	p50: number;
	p99: number;
	max: number;
}

const words = "hello world, this is a typical inbound message of about eighty characters long";

/** The same clock in every process of this machine, ms. */
function now(): number {
	return performance.timeOrigin + performance.now();
}

export function* messages({ calls, each, burst, name, from = 0 }: Crowd): Generator<{ chat: string; seq: number }> {
	for (let round = from; round < from + each; round += burst) {
		for (let call = 0; call < calls; call++) {
			for (let seq = round; seq < Math.min(from + each, round + burst); seq++) yield { chat: `${name}${call}`, seq };
		}
	}
}

/** A message that says at its end who wrote it, which one it is, and when it was handed over. */
export function spoken(chat: string, seq: number, short = false): Said {
	if (!short) return { chat, seq, text: `${words.slice(0, 72)} ${chat} ${seq} ${now().toFixed(3)}` };
	const mark = ` ${chat} ${seq} 0`;
	return { chat, seq, text: words.slice(0, 20 + ((seq * 37) % 60) - mark.length) + mark };
}

/** What is answered: the message again, or as many characters as an answer in a chat of support has. */
export function echoOf(text: string, short = false): string {
	if (!short) return `echo: ${text}`;
	const [chat, seq, at] = markOf(text);
	const mark = ` ${chat} ${seq} ${at}`;
	return `echo: ${words}`.slice(0, 30 + ((Number(seq) * 53) % 55) - mark.length) + mark;
}

/** Who wrote a message or is answered by it, which one it is, and when it was handed over. */
export function markOf(text: string): [chat: string, seq: string, handed: string] {
	const [chat = "", seq = "", handed = ""] = text.split(" ").slice(-3);
	return [chat, seq, handed];
}

/** Drives `send`, which resolves once its message is done with, and waits for all of them. */
export async function drive(crowd: Crowd, pace: Pace, send: (said: Said) => Promise<void>): Promise<number> {
	const source = messages(crowd);
	const begun = now();
	if ("inFlight" in pace) {
		const sendOn = async () => {
			for (const { chat, seq } of source) await send(spoken(chat, seq, crowd.short));
		};
		await Promise.all(Array.from({ length: pace.inFlight }, sendOn));
		return now() - begun;
	}
	const sent: Promise<void>[] = [];
	for (let over = false; !over; ) {
		const due = Math.floor(((now() - begun) / 1000) * pace.perSecond);
		while (sent.length < due && !over) {
			const next = source.next();
			if (next.done) over = true;
			else sent.push(send(spoken(next.value.chat, next.value.seq, crowd.short)));
		}
		await new Promise((resolve) => setTimeout(resolve, 1));
	}
	await Promise.all(sent);
	return now() - begun;
}

/** Takes answers down as they leave, and says how they came. */
export class Answers {
	#last = new Map<string, number>();
	#waits: { chat: string; ms: number }[] = [];
	#wrong = 0;
	#begun = 0;
	#ended = 0;
	#from = 0;
	#reached: { answers: number; resolve: () => void } | undefined;

	/** @param text an answer to what `spoken` made */
	heard(text: string): void {
		const [chat, seq, handed] = markOf(text);
		const at = now();
		this.#begun ||= at;
		this.#ended = at;
		this.#waits.push({ chat, ms: at - Number(handed) });
		if ((this.#last.get(chat) ?? this.#from - 1) + 1 !== Number(seq)) this.#wrong += 1;
		this.#last.set(chat, Number(seq));
		if (this.#reached !== undefined && this.#waits.length >= this.#reached.answers) this.#reached.resolve();
	}

	/** Resolves once so many answers have left since `clear`. */
	reach(answers: number): Promise<void> {
		if (this.#waits.length >= answers) return Promise.resolve();
		return new Promise((resolve) => {
			this.#reached = { answers, resolve };
		});
	}

	/** @param from number of everybody's next message */
	clear(from = 0): void {
		this.#last = new Map();
		this.#waits = [];
		this.#wrong = this.#begun = this.#ended = 0;
		this.#from = from;
		this.#reached = undefined;
	}

	/**
	 * @param options.ms how long it took, where more is known than the time from first to last answer
	 * @param options.only begins the names of those whose waits count
	 */
	measured(expected: number, { ms = this.#ended - this.#begun, only = "" } = {}): Measured {
		const counted = this.#waits.filter(({ chat }) => chat.startsWith(only));
		const waits = counted.map((wait) => wait.ms).sort((a, b) => a - b);
		const at = (share: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? Number.NaN;
		const missing = Math.abs(expected - this.#waits.length);
		return { ms, answers: this.#waits.length, wrong: this.#wrong + missing, p50: at(0.5), p99: at(0.99), max: at(1) };
	}
}
