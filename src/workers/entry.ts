import { prepareProcess } from "../lib/own-process.ts";

// What cluster.fork runs.
prepareProcess();
const { Worker } = await import("./worker.ts");
new Worker().listen();
