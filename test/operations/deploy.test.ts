import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { graceMs } from "../../src/cli/assemble.js";
import { variables } from "../../src/config-variables.js";
import { Metrics } from "../../src/observe/metrics.js";

const read = (path: string) => readFileSync(path, "utf8");
const known = new Set<string>([...variables.map(({ name }) => name), "NODE_ENV"]);

/** The drain of a process, and a little more. */
const needed = graceMs / 1000 + 5;

interface Service {
	image?: string;
	command: string[];
	environment?: Record<string, string>;
	healthcheck?: { test: string[] };
	depends_on?: Record<string, { condition: string }>;
	stop_grace_period: string;
	ports?: string[];
	user?: string;
}

test("docker-compose.yml: Redis keeps its file and evicts nothing, the app waits for it and is given time to finish", () => {
	const { services } = parse(read("docker-compose.yml")) as { services: Record<"redis" | "app", Service> };
	const { redis, app } = services;
	const redisArgs = redis.command.join(" ");
	for (const arg of ["--appendonly yes", "--appendfsync everysec", "--maxmemory-policy noeviction"])
		expect(redisArgs).toContain(arg);
	expect(redis.image).toMatch(/^redis:7\./);
	expect(redis.healthcheck?.test).toEqual(["CMD", "redis-cli", "ping"]);
	expect(redis.ports).toBeUndefined();
	expect(app.depends_on?.redis).toEqual({ condition: "service_healthy" });
	expect(Object.keys(app.environment ?? {}).filter((name) => !known.has(name))).toEqual([]);
	expect(app.environment?.CALLBOARD_SECRET).toContain(":?");
	expect(Number.parseInt(app.stop_grace_period, 10)).toBeGreaterThanOrEqual(needed);
	expect(app.ports).toEqual(["127.0.0.1:3000:3000"]);
});

interface Manifest {
	kind: string;
	spec: {
		selector: { app?: string; matchLabels?: { app: string } };
		ports?: { targetPort: string }[];
		template: { metadata: { labels: { app: string } }; spec: PodSpec };
	};
}

interface PodSpec {
	terminationGracePeriodSeconds: number;
	securityContext: { runAsNonRoot: boolean };
	containers: {
		args: string[];
		ports: { name: string }[];
		env: { name: string }[];
		livenessProbe: { httpGet: { path: string; port: string } };
		readinessProbe: { httpGet: { path: string; port: string }; timeoutSeconds: number };
		lifecycle: { preStop: { exec: { command: string[] } } };
	}[];
}

test("kubernetes.yaml: liveness asks nobody, readiness asks all, and the grace period covers preStop and drain", () => {
	const documents = parseAllDocuments(read("docs/deploy/kubernetes.yaml"));
	expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
	const [deployment, service, budget] = documents.map((each) => each.toJS() as Manifest);
	expect([deployment?.kind, service?.kind, budget?.kind]).toEqual(["Deployment", "Service", "PodDisruptionBudget"]);
	const pod = deployment?.spec.template;
	const container = pod?.spec.containers[0];
	if (pod === undefined || container === undefined) throw new Error("there is no container");
	const preStop = Number(container.lifecycle.preStop.exec.command[1]);
	expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(preStop + needed);
	expect(container.livenessProbe.httpGet.path).toBe("/health");
	expect(container.readinessProbe.httpGet.path).toBe("/ready");
	expect(container.readinessProbe.timeoutSeconds).toBeGreaterThan(2);
	expect(container.ports[0]?.name).toBe(container.readinessProbe.httpGet.port);
	expect(service?.spec.ports?.[0]?.targetPort).toBe(container.ports[0]?.name);
	expect(container.env.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
	const { app } = pod.metadata.labels;
	const selectors = [deployment?.spec.selector.matchLabels?.app, service?.spec.selector.app];
	expect([...selectors, budget?.spec.selector.matchLabels?.app]).toEqual([app, app, app]);
	expect(pod.spec.securityContext.runAsNonRoot).toBe(true);
});

test("systemd.service: every line is a setting, it is restarted, not root, and given time to finish", () => {
	const lines = read("docs/deploy/systemd.service").split("\n");
	const settings = lines.filter((line) => line !== "" && !line.startsWith("#") && !line.startsWith("["));
	expect(settings.filter((line) => !/^[A-Z]\w+=/.test(line))).toEqual([]);
	const value = (name: string) => settings.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1);
	expect(Number(value("TimeoutStopSec"))).toBeGreaterThanOrEqual(needed);
	expect([value("User"), value("Restart"), value("KillSignal")]).toEqual(["callboard", "always", "SIGTERM"]);
	const given = (value("Environment") ?? "").split(" ").map((each) => each.split("=")[0] ?? "");
	expect(given.filter((name) => !known.has(name))).toEqual([]);
	expect(value("ExecStart")).toMatch(/callboard\/dist\/src\/cli\/main\.js start$/);
});

test("Dockerfile: built in one stage, run in another, not as root, told to stop by SIGTERM", () => {
	const stages = read("Dockerfile")
		.split(/^(?=FROM )/m)
		.slice(1);
	expect(stages).toHaveLength(2);
	const last = stages.at(-1) ?? "";
	expect(last).toMatch(/^USER node$/m);
	expect(last).toMatch(/^STOPSIGNAL SIGTERM$/m);
	expect(last).toMatch(/^ENTRYPOINT \["node", /m);
	expect(last).not.toMatch(/npm (ci|install)/);
	expect(last).toContain("/ready");
	expect(read(".dockerignore").split("\n")).toEqual(expect.arrayContaining([".env", ".git", "node_modules"]));
});

test("Dockerfile: whatever the package leaves to a project is there, in the version it wants", () => {
	const { peerDependencies } = JSON.parse(read("package.json")) as { peerDependencies: Record<string, string> };
	const { typescript: _, ...wanted } = peerDependencies;
	const set = [...read("Dockerfile").matchAll(/dependencies(?:\.|\[)([^\]=]+)\]?=([\d.]+)/g)];
	expect(Object.fromEntries(set.map(([, name, version]) => [name, version]))).toEqual(wanted);
});

test("docs/operations.md explains every metric there is, and none that is not", async () => {
	const load = { stored: undefined, running: { turns: 0, sends: 0 }, open: new Map(), swept: undefined };
	const { text } = await new Metrics({ process: false }).page(load);
	const there = [...text.matchAll(/^# HELP (callboard_\w+) /gm)].map(([, name]) => name ?? "").sort();
	const rows = read("docs/operations.md")
		.split("\n")
		.filter((line) => line.startsWith("| `callboard_"));
	const explained = rows.flatMap((row) =>
		[...(row.split("|")[1] ?? "").matchAll(/callboard_\w+/g)].map(([name]) => name),
	);
	expect(explained.sort()).toEqual(there);
});
