import { prepareProcess } from "../lib/own-process.ts";

// What the gateway's process forks.
prepareProcess();
const { ConsoleProcess } = await import("./process.ts");
new ConsoleProcess().listen();
