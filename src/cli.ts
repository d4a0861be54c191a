#!/usr/bin/env node
import { enableCompileCache } from "node:module";

// Before anything else is loaded: it halves the time to start.
enableCompileCache();
const { run } = await import("./commands/program.ts");
process.exitCode = await run(process.argv);
