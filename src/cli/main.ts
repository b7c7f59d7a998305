#!/usr/bin/env node
import { run } from "./program.js";
import { processShell } from "./shell.js";

process.exitCode = await run(process.argv.slice(2), processShell());
