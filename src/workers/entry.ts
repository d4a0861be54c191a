import { prepareProcess } from "../lib/own-process.ts";

// cluster.fork runs this file.
prepareProcess();
const { Worker } = await import("./worker.ts");
new Worker().listen();
