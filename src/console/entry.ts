import { prepareProcess } from "../lib/own-process.ts";

// The gateway's process forks this file.
prepareProcess();
const { ConsoleProcess } = await import("./process.ts");
new ConsoleProcess().listen();
