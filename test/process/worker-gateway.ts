import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createAccount } from "../../src/commands/accounts/accounts.ts";
import { createKey } from "../../src/commands/accounts/keys.ts";
import { BUILT_IN_PLANS } from "../../src/config/plans.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openStorage } from "../../src/storage/open.ts";
import type { Storage } from "../../src/storage/store.ts";
import { openRaw, readAnswers } from "../support/raw-connection.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { openWorkplace, type Started, type Workplace } from "../support/started-gateway.ts";
import { recordKey } from "../support/written.ts";

const WORKERS = 2;

let calls = 0;
/** A call like no other one, so that no answer is known to it. */
export function nextCall(): string {
  calls += 1;
  const address = `0x${calls.toString(16).padStart(40, "0")}`;
  const params = [address, "latest"];
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getCode", params });
}

/** One connection that stays open. */
export type Line = {
  /** The status of the next call's answer; rejects where the connection ends first. */
  readonly call: () => Promise<number>;
  readonly isOpen: () => boolean;
  readonly end: () => void;
};

export type WorkerGateway = Started & {
  readonly node: StandInNode;
  readonly storage: Storage;
  readonly workplace: Workplace;
  /** The one key of a new account. */
  readonly newKey: () => Promise<{ readonly id: string; readonly key: string; owner: string }>;
  readonly lines: (count: number, key: string) => Promise<readonly Line[]>;
  /** Of the worker of this number that was started last. */
  readonly pid: (number: number) => number;
  /** When all workers serve. */
  readonly whole: () => Promise<void>;
  readonly page: (path: string, method?: string) => Promise<{ status: number; text: string }>;
  /** A sum over the series of /metrics that begin with this. */
  readonly metric: (start: string) => Promise<number>;
  readonly clear: () => Promise<void>;
};

/** `tollgate start` with two workers before one node. */
export async function startWorkerGateway(server: object = {}): Promise<WorkerGateway> {
  const node = await startStandInNode(() => ({ result: "0x6001" }));
  const workplace = await openWorkplace({
    server: { port: 0, workers: WORKERS, ...server },
    admin: { port: 0 },
    storage: { url: "sqlite:./tollgate.db" },
    networks: [
      { name: "node", family: "evm", chainId: 1, upstreams: [{ name: "a", url: node.url }] },
    ],
  });
  const gateway = await workplace.start();
  const storage = await openStorage({ url: `sqlite:${join(workplace.folder, "tollgate.db")}` });
  const parts = { storage, plans: BUILT_IN_PLANS, clock: systemClock, random: randomBytes };
  let accounts = 0;
  const page = async (path: string, method = "GET") => {
    const response = await fetch(`${gateway.admin}${path}`, { method });
    return { status: response.status, text: await response.text() };
  };
  return {
    ...gateway,
    ...{ node, storage, workplace, page },
    newKey: async () => {
      accounts += 1;
      const email = `customer-${accounts}@example.com`;
      const account = await createAccount(parts, { email, plan: "growth", operator: false });
      const { json } = await createKey(parts, { account: email, name: "test" });
      const made = json as { id: string; key: string };
      recordKey(made.key);
      return { ...made, owner: (account.json as { id: string }).id };
    },
    lines: async (count, key) => {
      const opened: Line[] = [];
      for (let line = 0; line < count; line += 1) opened.push(await openLine(gateway.port, key));
      return opened;
    },
    pid: (number) => pidOf(gateway, number),
    whole: async () => {
      for (;;) {
        const { text } = await page("/readyz");
        if (text === '{"ready":true,"obstacles":[]}') return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    metric: async (start) => {
      const { text } = await page("/metrics");
      const lines = text.split("\n").filter((line) => line.startsWith(start));
      return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
    },
    clear: async () => {
      await workplace.clear();
      await storage.close();
      await node.stop();
    },
  };
}

function pidOf({ process }: Started, number: number): number {
  const pattern = new RegExp(`"worker":${number},"pid":(\\d+),"msg":"worker serves"`, "g");
  return Number([...process.output().matchAll(pattern)].at(-1)?.[1]);
}

async function openLine(port: number, key: string): Promise<Line> {
  const connection = await openRaw(port);
  const head = `POST /node/v3/${key} HTTP/1.1\r\nHost: a\r\n`;
  let answered = 0;
  return {
    call: () => {
      answered += 1;
      const wanted = answered;
      const body = nextCall();
      connection.send(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
      return new Promise((resolve, reject) => {
        const look = () => {
          const answers = wholeAnswers(connection.received());
          const answer = answers[wanted - 1];
          if (answer === undefined) return;
          connection.socket.off("data", look);
          resolve(answer.status);
        };
        connection.socket.on("data", look);
        void connection.closed.then(() => reject(new Error("the connection ended")));
      });
    },
    isOpen: () => !connection.socket.destroyed,
    end: () => connection.socket.destroy(),
  };
}

function wholeAnswers(text: string) {
  try {
    return readAnswers(text);
  } catch {
    // The last one is not here as a whole yet.
    return [];
  }
}

/** Whether the process runs; one that nobody has waited for has ended all the same. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
