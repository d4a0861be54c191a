import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { ask as askNode } from "../routing/client.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type StandInNode, startStandInNode } from "../support/stand-in-node.ts";
import { temporaryFolder } from "../support/written.ts";

const HEAD = 1000;
/** 128 blocks below the head. */
const FINAL = 872;
const OLD = 500;
/** Above it, and old enough to be kept without its hash being known. */
const RECENT = 900;
/** As old, to see by whether what is on disk is served yet. */
const PROBES = Array.from({ length: 100 }, (_, index) => OLD + 1 + index);

const quantity = (number: number): string => `0x${number.toString(16)}`;
const hashOf = (number: number, chain: string): string =>
  `0x${chain.repeat(16)}${number.toString(16).padStart(32, "0")}`;

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** A node of a chain whose blocks' hashes begin like this. */
async function nodeOf(chain: string): Promise<StandInNode> {
  const node = await startStandInNode(({ params }) => {
    const number = Number(params[0]);
    return {
      result: {
        number: quantity(number),
        hash: hashOf(number, chain),
        parentHash: hashOf(number - 1, chain),
        gasLimit: "0x1c9c380",
        timestamp: quantity(1_700_000_000 + number),
        transactions: [],
        uncles: [],
      },
    };
  });
  node.head = HEAD;
  open.push(node.stop);
  return node;
}

/** A gateway on the node, once what is on disk is of use to it. */
async function gatewayOn(node: StandInNode, path: string): Promise<TestGateway> {
  const gateway = await startTestGateway({
    networks: [
      { name: "net", family: "evm", chainId: 1, upstreams: [{ name: "a", url: node.url }] },
    ],
    cache: { memoryBytes: 1_000_000, disk: { path } },
  });
  open.push(gateway.stop);
  await expect.poll(() => countOf(node, FINAL), { timeout: 5000 }).toBe(1);
  return gateway;
}

const countOf = (node: StandInNode, number: number): number =>
  node.requests.filter(({ params }) => params[0] === quantity(number)).length;

async function hashAt(gateway: TestGateway, number: number): Promise<unknown> {
  const question = { method: "eth_getBlockByNumber", params: [quantity(number), false] };
  const { body } = await askNode(gateway.http(), question);
  return (body.result as { hash?: unknown }).hash;
}

test("a final block outlives a restart on disk, one that is not final does not", async () => {
  const path = join(temporaryFolder("disk-tier"), "cache");
  const node = await nodeOf("ab");
  const first = await gatewayOn(node, path);
  for (const number of [OLD, RECENT]) {
    expect(await hashAt(first, number)).toBe(hashOf(number, "ab"));
    expect(await hashAt(first, number)).toBe(hashOf(number, "ab"));
    expect(countOf(node, number)).toBe(1);
  }
  for (const number of PROBES) await hashAt(first, number);
  await first.stop();

  const again = await nodeOf("ab");
  const second = await gatewayOn(again, path);
  const isOnDisk = async (number: number | undefined) => {
    await hashAt(second, number ?? 0);
    return countOf(again, number ?? 0) === 0;
  };
  const probes = PROBES.values();
  await expect.poll(() => isOnDisk(probes.next().value), { timeout: 5000 }).toBe(true);
  for (const number of [OLD, RECENT])
    expect(await hashAt(second, number)).toBe(hashOf(number, "ab"));
  expect([countOf(again, OLD), countOf(again, RECENT)]).toEqual([0, 1]);
});

test("what was kept of another chain of the same id is never given", async () => {
  const path = join(temporaryFolder("disk-tier"), "cache");
  const before = await gatewayOn(await nodeOf("ab"), path);
  expect(await hashAt(before, OLD)).toBe(hashOf(OLD, "ab"));
  await before.stop();

  const other = await nodeOf("cd");
  const after = await gatewayOn(other, path);
  expect(await hashAt(after, OLD)).toBe(hashOf(OLD, "cd"));
  expect(countOf(other, OLD)).toBe(1);
});

test("/metrics counts what was written to disk, what was found there, and what it takes", async () => {
  const path = join(temporaryFolder("disk-tier"), "cache");
  for (const outcome of ["written", "hits"]) {
    const gateway = await gatewayOn(await nodeOf("ab"), path);
    const probes = PROBES.values();
    const counted = async () => {
      await hashAt(gateway, probes.next().value ?? 0);
      return diskFigure(gateway, `answers_total{outcome="${outcome}"}`);
    };
    await expect.poll(counted, { timeout: 5000 }).toBeGreaterThan(0);
    expect(await diskFigure(gateway, "bytes")).toBeGreaterThan(0);
    expect(await diskFigure(gateway, "faults_total")).toBe(0);
    await gateway.stop();
  }
});

async function diskFigure(gateway: TestGateway, name: string): Promise<number> {
  const text = await (await gateway.admin("/metrics")).text();
  const line = text.split("\n").find((each) => each.startsWith(`tollgate_disk_cache_${name} `));
  return Number(line?.split(" ")[1]);
}
