/**
 * Makes sure that what the tests drive is on this machine: a Redis server and Chromium. As root on Debian it installs
 * what is missing; otherwise it prints the one command to run and stops. A service that a package starts is stopped
 * again: tests start their own on a free port.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const WANTED = [
	{ package: "redis-server", programs: ["redis-server"], at: process.env.REDIS_SERVER_PATH },
	{
		package: "chromium",
		programs: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
		at: process.env.CHROME_PATH,
	},
];

const onPath = (program) =>
	(process.env.PATH ?? "").split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, program)));
const there = (wanted) => (wanted.at !== undefined && existsSync(wanted.at)) || wanted.programs.some(onPath);

const missing = WANTED.filter((wanted) => !there(wanted)).map((wanted) => wanted.package);
if (missing.length > 0) install(missing);

function install(packages) {
	const command = `apt-get update && apt-get install -y --no-install-recommends ${packages.join(" ")}`;
	if (process.getuid?.() !== 0 || !onPath("apt-get")) {
		const sudo = onPath("apt-get")
			? `sudo sh -c '${command}'`
			: `install ${packages.join(" and ")} with this system's package manager`;
		console.error(`The tests need ${packages.join(" and ")}. Run this once, then npm test again:\n\n  ${sudo}\n`);
		process.exit(2);
	}
	console.log(`Installing what the tests need: ${packages.join(", ")}`);
	const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
	execFileSync("apt-get", ["update", "-qq"], { stdio: "inherit", env });
	execFileSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], { stdio: "inherit", env });
	if (packages.includes("redis-server")) {
		spawnSync("service", ["redis-server", "stop"], { stdio: "ignore" });
	}
	const still = WANTED.filter((wanted) => !there(wanted)).map((wanted) => wanted.package);
	if (still.length > 0) {
		console.error(`Installed, but still not on PATH: ${still.join(", ")}. Set CHROME_PATH or REDIS_SERVER_PATH.`);
		process.exit(2);
	}
}
