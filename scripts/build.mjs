/** Builds `dist/` from nothing: JavaScript with types, the browser client, and the manifest of the example agents. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, rmSync } from "node:fs";

const node = (...args) => execFileSync(process.execPath, args, { stdio: "inherit" });

rmSync("dist", { recursive: true, force: true });
node("node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json");
if (existsSync("dist/src/cli/main.js")) chmodSync("dist/src/cli/main.js", 0o755);
