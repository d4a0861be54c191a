#!/usr/bin/env node
import { prepareProcess } from "./lib/own-process.ts";

prepareProcess();
const { run } = await import("./commands/program.ts");
process.exitCode = await run(process.argv);
