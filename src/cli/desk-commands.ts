import { type Command, InvalidArgumentError, Option } from "commander";
import type { CallState } from "../engine/desk.js";
import type { ExitCode, Shell } from "./shell.js";

type Does = (verb: () => Promise<ExitCode>) => () => Promise<void>;

const STATES: readonly CallState[] = ["open", "forwarded", "ended", "parked"];
const CALL = ["<call>", "its id, the beginning of its id, or its address in quotes"] as const;
const JSON_OPTION = ["--json", "print JSON"] as const;

/** The verbs by which people of the business look after calls. They work while callboard runs, and while it does not. */
export function deskCommands(program: Command, does: Does, shell: Shell): void {
	const group = (name: string, description: string) =>
		program.command(name).description(description).helpCommand(false).allowExcessArguments(false);
	const calls = group("calls", "look after calls: list, show, retry, close, reply, release, event");
	const outbox = group("outbox", "look after what is to be sent: list, retry");

	const list = calls
		.command("list")
		.description("one line a call")
		.addOption(new Option("--state <state>", "only those").choices(STATES))
		.option("--limit <n>", "how many", count, 50)
		.option("--after <address>", "go on behind the last one of the page before")
		.option(...JSON_OPTION);
	list.action(does(async () => (await import("./calls.js")).listCalls(list.opts(), shell)));

	const show = calls
		.command("show")
		.description("all that is stored of a call; it holds what people said")
		.argument(...CALL)
		.option("--history <n>", "how many of the newest rows", count, 30)
		.option(...JSON_OPTION);
	show.action(does(async () => (await import("./calls.js")).showCall(one(show), show.opts(), shell)));

	const retry = calls
		.command("retry")
		.description("let a call that was set aside go on")
		.argument("[call]", CALL[1])
		.option("--all", "every one that was set aside");
	retry.action(does(async () => (await import("./calls.js")).retryCall(retry.args[0], retry.opts(), shell)));

	const close = calls
		.command("close")
		.description("end a call")
		.argument(...CALL)
		.option("--reason <words>", "why, for its record and for the agent", "closed by a person of the business");
	close.action(does(async () => (await import("./calls.js")).closeCall(one(close), close.opts(), shell)));

	const reply = calls
		.command("reply")
		.description("say something to the person of a forwarded call")
		.argument(...CALL)
		.argument("<words>", "what to say, in quotes")
		.option("--take", "take the call from its agent first")
		.option("--key <key>", "sent again under the same key, it is said once");
	reply.action(
		does(async () => (await import("./calls.js")).replyToCall(one(reply), reply.args[1] ?? "", reply.opts(), shell)),
	);

	const release = calls
		.command("release")
		.description("give a call back to its agent")
		.argument(...CALL)
		.argument("[note]", "what the agent should know, in quotes");
	release.action(does(async () => (await import("./calls.js")).releaseCall(one(release), release.args[1], shell)));

	const event = calls
		.command("event")
		.description("tell the agent of a call that something happened")
		.argument(...CALL)
		.argument("<name>", "an event that the agent declares for app")
		.argument("[json]", "its data, in single quotes")
		.option("--id <key>", "sent again under the same key, it is one event");
	event.action(
		does(async () => {
			const [call = "", name = "", json] = event.args;
			return (await import("./calls.js")).tellCall(call, { name, json }, event.opts(), shell);
		}),
	);

	const rows = outbox
		.command("list")
		.description("what waits to be sent, and what left otherwise than sent")
		.option("--limit <n>", "how many", count, 100)
		.option(...JSON_OPTION);
	rows.action(does(async () => (await import("./outbox.js")).listOutbox(rows.opts(), shell)));

	const again = outbox
		.command("retry")
		.description("send a row that failed again, under a new id")
		.argument("<row>", "its id");
	again.action(does(async () => (await import("./outbox.js")).retryRow(one(again), shell)));

	const queue = program
		.command("queue")
		.description("how much waits, since when, and what was set aside")
		.allowExcessArguments(false)
		.option(...JSON_OPTION);
	queue.action(does(async () => (await import("./queue.js")).queue(queue.opts(), shell)));
}

/** The first argument, which commander has checked to be there. */
function one(command: Command): string {
	return command.args[0] ?? "";
}

function count(text: string): number {
	if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
	throw new InvalidArgumentError("It must be a whole number from 1.");
}
