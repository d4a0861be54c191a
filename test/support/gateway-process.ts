import { fork } from "node:child_process";
import { once } from "node:events";
import { ADMIN_TOKEN } from "./gateway.ts";
import type { LimitedOptions } from "./limited-gateway.ts";
import { forgetPort, readMetrics, recordPort } from "./written.ts";

export type ProcessState = {
  /** The longest that the event loop was held up since the last question. */
  readonly maxDelayMs: number;
  /** After everything unused was collected. */
  readonly usedBytes: number;
  /** The most memory that the process had since the last question. */
  readonly peakBytes: number;
};

export type GatewayProcess = {
  readonly port: number;
  readonly path: string;
  readonly wsPath: string;
  /** As `path`, with a key of another account. */
  readonly otherPath: string;
  readonly otherWsPath: string;
  readonly state: () => Promise<ProcessState>;
  /** The text of /metrics. */
  readonly metrics: () => Promise<string>;
  /** Open connections to the public port. */
  readonly openConnections: () => Promise<number>;
  /** It does nothing until it is told to go on: what is sent meanwhile it finds all at once. */
  readonly pause: () => void;
  readonly goOn: () => void;
  readonly stop: () => Promise<void>;
};

async function metricsAt(adminPort: number): Promise<string> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  return (await fetch(`http://127.0.0.1:${adminPort}/metrics`, { headers })).text();
}

/** `startLimitedGateway` in a process of its own, so that nodes and clients do not hold it up. */
export async function startGatewayProcess(
  nodeUrl: string,
  options: LimitedOptions = {},
): Promise<GatewayProcess> {
  const file = new URL("./gateway-child.ts", import.meta.url);
  const child = fork(file, [nodeUrl, JSON.stringify(options)], { execArgv: [] });
  const ended = once(child, "exit");
  const failed = ended.then(() => Promise.reject(new Error("the gateway's process ended")));
  failed.catch(() => undefined);
  const told = async () => (await Promise.race([once(child, "message"), failed]))[0];
  const { port, adminPort, path, wsPath, otherPath, otherWsPath } = await told();
  for (const each of [port, adminPort]) recordPort(each);
  return {
    port,
    path,
    wsPath,
    otherPath,
    otherWsPath,
    state: () => {
      child.send("state");
      return told();
    },
    metrics: () => metricsAt(adminPort),
    openConnections: async () => {
      const text = await metricsAt(adminPort);
      return Number(/^tollgate_connections\{transport="http"\} (\d+)$/m.exec(text)?.[1]);
    },
    pause: () => void child.kill("SIGSTOP"),
    goOn: () => void child.kill("SIGCONT"),
    stop: async () => {
      await readMetrics(adminPort, ADMIN_TOKEN);
      child.kill("SIGKILL");
      await ended;
      for (const each of [port, adminPort]) forgetPort(each);
    },
  };
}
