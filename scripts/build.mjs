/** Builds `dist/` from nothing: JavaScript with types, the browser client, and the manifest of the example agents. */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, rmSync } from "node:fs";

const node = (...args) => execFileSync(process.execPath, args, { stdio: "inherit" });

rmSync("dist", { recursive: true, force: true });
node("node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json");
const forBrowsers = (path) => !/\.d\.ts$|tsconfig\.json$/.test(path);
cpSync("channels/web/client", "dist/channels/web/client", { recursive: true, filter: forBrowsers });
if (existsSync("dist/src/cli/main.js")) chmodSync("dist/src/cli/main.js", 0o755);
