import { loadConfig } from "../config/load.ts";
import type { NetworkConfig, UpstreamConfig } from "../config/network-schema.ts";
import { readCertificates } from "../gateway/certificates.ts";
import { systemClock } from "../lib/clock.ts";
import { TimerWheel } from "../lib/timer-wheel.ts";
import { redact } from "../telemetry/redact.ts";
import { classify } from "../upstreams/failures.ts";
import { HttpUpstream } from "../upstreams/http-upstream.ts";
import type { UpstreamAnswer } from "../upstreams/upstream-answer.ts";
import { table } from "./output.ts";

const TIMEOUT_MS = 5000;

type Row = { readonly cells: readonly string[]; readonly fault: boolean };

/**
 * `check --config FILE`: the file's faults (thrown as ConfigError), then each upstream tried.
 * Returns the exit code: 1 where any upstream has a fault.
 */
export async function runCheck(file: string, print: (text: string) => void): Promise<number> {
  const config = await loadConfig(file);
  if (config.server.tls !== undefined) readCertificates(config.server.tls);
  const tried = config.networks.flatMap((network) =>
    network.upstreams.map((upstream) => tryUpstream(network, upstream)),
  );
  const rows = await Promise.all(tried);
  print(`${file}: no faults in the file`);
  const headings = ["NETWORK", "UPSTREAM", "CLIENT", "CHAIN ID", "HEAD", "RESULT"];
  print(
    table(
      headings,
      rows.map(({ cells }) => cells),
    ),
  );
  return rows.some(({ fault }) => fault) ? 1 : 0;
}

async function tryUpstream(network: NetworkConfig, upstream: UpstreamConfig): Promise<Row> {
  const names = [network.name, upstream.name];
  if (network.family === "slot") {
    return {
      cells: [...names, "-", "-", "-", "not tried: slot networks are not served yet"],
      fault: false,
    };
  }
  const timers = new TimerWheel(systemClock.monotonic);
  const node = new HttpUpstream(
    { ...upstream, maxResponseBytes: network.maxResponseBytes },
    { timers },
  );
  try {
    const [chainId, head, client] = await Promise.all(
      ["eth_chainId", "eth_blockNumber", "web3_clientVersion"].map((method) => ask(node, method)),
    );
    const faults = [chainId, head].flatMap((answer) => answer?.fault ?? []);
    const found = Number(chainId?.value);
    if (faults.length === 0 && network.chainId !== undefined && found !== network.chainId) {
      faults.push(`is of chain ${found}, the file says ${network.chainId}: it would not be used`);
    }
    const numbers = [chainId, head].map((answer) => answer?.value ?? "-").map(decimal);
    const [fault] = faults;
    return {
      cells: [...names, client?.value ?? "-", ...numbers, fault ?? "ok"],
      fault: fault !== undefined,
    };
  } finally {
    await node.close();
  }
}

function ask(node: HttpUpstream, method: string): Promise<Read> {
  return new Promise((resolve) => {
    node.call({ method, params: "[]", timeoutMs: TIMEOUT_MS }, (answer) => resolve(read(answer)));
  });
}

function decimal(quantity: string): string {
  return /^0x[0-9a-f]+$/i.test(quantity) ? BigInt(quantity).toString() : quantity;
}

type Read = { readonly value?: string; readonly fault?: string };

/** The result where it is a string, else what is wrong, in words that hold no URL. */
function read(answer: UpstreamAnswer): Read {
  switch (answer.kind) {
    case "result": {
      const value: unknown = JSON.parse(Buffer.concat(answer.result).toString("utf8"));
      return typeof value === "string" ? { value } : { fault: "answers with something else" };
    }
    case "timeout":
      return { fault: `gave no answer within ${TIMEOUT_MS / 1000} s` };
    case "unreachable":
      return { fault: `cannot be reached: ${answer.code}` };
    case "too_large":
      return { fault: "answers with more than maxResponseBytes" };
    case "error":
    case "garbage": {
      const { class: kind, message } = classify(answer);
      return { fault: `${kind}: ${redact(message)} (HTTP status ${answer.status})` };
    }
  }
}
