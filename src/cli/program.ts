import { readFileSync } from "node:fs";
import { Command, CommanderError, Option } from "commander";
import { complain } from "./complain.js";
import { deskCommands } from "./desk-commands.js";
import { roles } from "./roles.js";
import type { ExitCode, Shell } from "./shell.js";

const EXAMPLES = `
Examples:
  callboard dev                         the agent at http://127.0.0.1:3000, restarted with --watch when a file changes
  callboard chat --say "hello"          says one line, prints both sides, exits when it is answered
  callboard prompt --stage choose       prints what the model would read in that stage
  callboard doctor                      looks for what stands in the way, and says what to do
  callboard calls list --state parked   the calls that were set aside, with the reason

Exit status: 0 it did it, 1 what was looked at does not hold, 2 it cannot run.
Settings are read from the environment and from .env; .env.example explains every one.`;

/** Runs one command line. Resolves to what the process should exit with. */
export async function run(args: readonly string[], shell: Shell): Promise<ExitCode> {
	let code: ExitCode = 0;
	const does = (verb: () => Promise<ExitCode>) => async () => {
		code = await verb();
	};
	const program = new Command("callboard")
		.description("Messaging bots as TypeScript classes.")
		.version(version(), "-v, --version", "print the version")
		.helpOption("-h, --help", "explain a command")
		.helpCommand("help [command]", "explain a command")
		.addHelpText("after", EXAMPLES)
		.configureOutput({
			writeOut: (text) => shell.out(text.trimEnd()),
			writeErr: (text) => shell.err(text.trimEnd()),
			outputError: (text, write) => write(`callboard: ${oneLine(text)}`),
		})
		.exitOverride();

	const verb = (name: string, description: string) =>
		program.command(name).description(description).allowExcessArguments(false);
	const agent = ["--agent <name>", "the agent, where the project has several"] as const;

	const build = verb("build", "read the agents, refuse what is wrong, and write what production needs into dist/");
	build.action(does(async () => (await import("./build.js")).build(shell)));

	const dev = verb("dev", "serve an agent on this machine, with a chat page at /")
		.option(...agent)
		.option("--door <name>", "open only this door, web or telegram; may be repeated", collect)
		.option("--watch", "start again when a file of the agents changes");
	dev.action(does(async () => (await import("./dev.js")).dev(dev.opts(), shell)));

	const start = verb("start", "serve an agent in production, from what build wrote")
		.option(...agent)
		.addOption(
			new Option("--only <roles>", "have this process be gateway, worker or sender; several with commas").argParser(
				roles,
			),
		)
		.option("--show-prompt", "print what the model reads; it may hold personal data")
		.option("--demo", "let the scripted demo answer when there is no key");
	start.action(does(async () => (await import("./start.js")).start(start.opts(), shell)));

	const chat = verb("chat", "talk with an agent in this terminal")
		.option(...agent)
		.option("--say <text>", "say this and wait for the answer; may be repeated", collect);
	chat.action(does(async () => (await import("./chat.js")).chat(chat.opts(), shell)));

	const prompt = verb("prompt", "print what the model would read, and which tools it would have")
		.option(...agent)
		.option("--state <file>", "a JSON file with a state, or a golden")
		.option("--stage <name>", "as it is in this stage");
	prompt.action(does(async () => (await import("./prompt.js")).prompt(prompt.opts(), shell)));

	const doctor = verb("doctor", "look for what stands in the way, and say what to do").option(...agent);
	doctor.action(does(async () => (await import("./doctor.js")).doctor(doctor.opts(), shell)));

	deskCommands(program, does, shell);

	try {
		await program.parseAsync(args.length === 0 ? ["--help"] : [...args], { from: "user" });
		return code;
	} catch (error) {
		if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
		return complain(shell, error);
	}
}

/** Commander's own complaint, with its suggestion, in our manner. */
function oneLine(text: string): string {
	return text
		.replace(/^error: /, "")
		.trim()
		.replace(/\n\(Did you mean (.*)\)$/s, "; did you mean $1");
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
	return [...before, text];
}

function version(): string {
	const path = new URL(import.meta.resolve("callboard/package.json"));
	return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
}
