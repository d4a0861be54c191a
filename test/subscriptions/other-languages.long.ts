import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { CONTRACT } from "../../src/dev/samples.ts";
import type { ChainPair } from "../support/chain-pair.ts";
import type { TestGateway } from "../support/gateway.ts";
import { type Command, goProgram, withWeb3Py } from "../support/other-languages.ts";
import { transfer } from "./transfer.ts";
import { startWatchedChain, type WatchedChain } from "./watched-chain.ts";

const TRANSFERS = 3;
/** Compilers and downloads. */
const PREPARING_MS = 600_000;

let chain: ChainPair;
let gateway: TestGateway;
let watched: WatchedChain;
const running: ChildProcess[] = [];

beforeAll(async () => {
  watched = await startWatchedChain();
  ({ chain, gateway } = watched);
});
afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
});
afterAll(async () => {
  await watched?.stop();
});

/** By kind, in order. */
type Heard = Record<string, unknown[]>;

/** A client in a process of its own, which prints a line for each event. */
async function listen([file, ...args]: Command, url: string): Promise<Heard> {
  const child = spawn(file, [...args, url, CONTRACT], { stdio: ["ignore", "pipe", "inherit"] });
  running.push(child);
  const heard: Heard = {};
  const ready = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { kind, event } = JSON.parse(line);
    if (kind === "ready") ready.resolve();
    else heard[kind] = [...(heard[kind] ?? []), event];
  });
  child.once("exit", (code) => ready.reject(new Error(`it ended with ${code}`)));
  await ready.promise;
  return heard;
}

const leastOf = (heard: Heard, kinds: readonly string[]): number =>
  Math.min(...kinds.map((kind) => heard[kind]?.length ?? 0));

test.each([
  {
    client: "web3.py",
    prepare: () => withWeb3Py("web3py/watch.py"),
    kinds: ["head", "log", "pending"],
  },
  { client: "ethclient", prepare: () => goProgram("ethclient"), kinds: ["head", "log"] },
])(
  "$client hears through the gateway what it hears from the node",
  { timeout: PREPARING_MS },
  async ({ prepare, kinds }) => {
    const command = await prepare();
    if (command === undefined) return;
    const direct = await listen(command, chain.nodes[0]?.wsUrl ?? "");
    const through = await listen(command, gateway.ws());
    // They subscribe when they like: what both have heard of a block is the same from then on.
    while (leastOf(direct, kinds) === 0 || leastOf(through, kinds) === 0) {
      await transfer(chain);
      await sleep(500);
    }
    const last = (heard: Heard) => kinds.map((kind) => heard[kind]?.at(-1));
    // anvil adds members of the block, which go-ethereum's heads do not have.
    await expect.poll(() => last(direct), { timeout: 10_000 }).toMatchObject(last(through));
    for (const heard of [direct, through]) for (const kind of kinds) heard[kind] = [];
    for (let each = 0; each < TRANSFERS; each += 1) await transfer(chain);
    await expect.poll(() => leastOf(direct, kinds), { timeout: 10_000 }).toBe(TRANSFERS);
    await expect.poll(() => leastOf(through, kinds), { timeout: 10_000 }).toBe(TRANSFERS);
    expect(direct).toMatchObject(through);
  },
);
