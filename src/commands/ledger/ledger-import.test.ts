import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type NodeReply,
  type NodeRequest,
  type StandInNode,
  startStandInNode,
} from "../../../test/support/stand-in-node.ts";
import { temporaryFolder } from "../../../test/support/written.ts";
import { importLedger } from "./ledger-import.ts";

const SAMPLE = join(import.meta.dirname, "../../dev/sample-ledger");
const CLI = join(import.meta.dirname, "../../cli.ts");
const KEY = "kEy0123456789abcdef";
const { genesisHash, firstSlot, finalizedSlot } = JSON.parse(
  readFileSync(join(SAMPLE, "ledger.json"), "utf8"),
);
const SLOTS = readdirSync(join(SAMPLE, "blocks"))
  .map((name) => Number.parseInt(name, 10))
  .filter((slot) => slot <= finalizedSlot);
const blockText = (slot: number) => readFileSync(join(SAMPLE, `blocks/${slot}.json`), "utf8");

const folder = temporaryFolder("ledger-import");
let to: string;
let ledgers = 0;
let node: StandInNode;
let pauses: number[];

beforeEach(async () => {
  ledgers += 1;
  to = join(folder, `${ledgers}`);
  pauses = [];
  node = await startStandInNode(answer);
  node.genesisHash = genesisHash;
  node.slots = { processed: finalizedSlot, confirmed: finalizedSlot, finalized: finalizedSlot };
});
afterEach(() => node.stop());

/** The sample ledger as a node serves it. */
function answer({ method, params }: Pick<NodeRequest, "method" | "params">): NodeReply {
  const [first, last] = params.map(Number);
  switch (method) {
    case "getFirstAvailableBlock":
      return { result: firstSlot };
    case "getBlocks":
      return { result: SLOTS.filter((slot) => slot >= Number(first) && slot <= Number(last)) };
    default:
      return { resultText: blockText(Number(first)).trimEnd() };
  }
}

async function run(slots: string, from = `${node.url}/${KEY}`) {
  const printed: string[] = [];
  const print = (text: string) => printed.push(text);
  const pause = async (ms: number) => pauses.push(ms);
  const { json, text } = await importLedger({ from, slots, to }, { print, pause });
  return { summary: json as Record<string, unknown>, text, printed };
}

/** Why it did not work, without any part of the URL. */
async function fault(slots: string, from?: string): Promise<string> {
  const error = await run(slots, from).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toMatchObject({ name: "CommandError" });
  const { message } = error as Error;
  expect(message).not.toMatch(new RegExp(`${KEY}|127\\.0\\.0\\.1`));
  return message;
}

const ledger = () => JSON.parse(readFileSync(join(to, "ledger.json"), "utf8"));
const askedFor = (method: string) => node.requests.filter((each) => each.method === method);
const askedBlocks = () => askedFor("getBlock").map(({ params: [slot] }) => slot);
const ALL = `${firstSlot}-${finalizedSlot}`;

describe("from a node", () => {
  test("a ledger gets each block as the node sent it, and no file for a skipped slot", async () => {
    const { summary } = await run(ALL);
    expect(readdirSync(join(to, "blocks"))).toEqual(SLOTS.map((slot) => `${slot}.json`));
    for (const slot of SLOTS) {
      expect(readFileSync(join(to, `blocks/${slot}.json`), "utf8")).toBe(blockText(slot));
    }
    const head = { genesisHash, firstSlot, confirmedSlot: finalizedSlot, finalizedSlot };
    expect(ledger()).toEqual({ format: 1, ...head });
    const slots = finalizedSlot - firstSlot + 1;
    expect(summary).toMatchObject({ imported: SLOTS.length, kept: 0, ledger: head });
    expect(summary["skipped"]).toBe(slots - SLOTS.length);
    expect(askedFor("getBlock")[0]?.params[1]).toEqual({
      commitment: "finalized",
      encoding: "base64",
      maxSupportedTransactionVersion: 255,
      rewards: true,
      transactionDetails: "full",
    });
  });

  test("that knows no version 255, blocks are asked for with version 0", async () => {
    node.reply = (request) => {
      const config = request.params[1] as { maxSupportedTransactionVersion?: number } | undefined;
      if (config?.maxSupportedTransactionVersion !== 255) return answer(request);
      return { error: { code: -32602, message: "Invalid params: invalid value: 255" } };
    };
    const { summary } = await run(ALL);
    expect(summary).toMatchObject({ imported: SLOTS.length });
  });

  test("that fails now and then, each is asked for again after a pause that it may name", async () => {
    const failing: NodeReply[] = [
      { body: "slow down", status: 429, headers: { "retry-after": "3" } },
      { body: "<html>bad gateway</html>", status: 502 },
      { error: { code: -32005, message: "Node is behind by 200 slots" } },
      { result: null },
      "reset",
    ];
    const [slot] = SLOTS;
    node.reply = (request) => {
      if (request.method !== "getBlock") return answer(request);
      return failing.shift() ?? answer(request);
    };
    const { summary } = await run(`${slot}`);
    expect(summary).toMatchObject({ imported: 1 });
    expect(pauses).toEqual([3000, 1000, 2000, 4000, 8000]);
  });

  test("that fails for good, the import ends with the node's words and no part of the URL", async () => {
    node.reply = (request) =>
      request.method === "getBlock"
        ? { body: `overloaded: http://127.0.0.1/${KEY}`, status: 503 }
        : answer(request);
    expect(await fault(`${SLOTS[0]}`)).toMatch(`getBlock ${SLOTS[0]}: HTTP status 503 overloaded`);
    expect(pauses).toHaveLength(6);
  });

  test("that is not there, it is said within seconds", async () => {
    const { url } = node;
    await node.stop();
    expect(await fault(ALL, `${url}/${KEY}`)).toMatch(
      "getGenesisHash: the node cannot be reached: ECONNREFUSED",
    );
    expect(pauses).toEqual([500, 1000]);
    node = await startStandInNode();
  });

  test("that refuses, it is not asked again", async () => {
    const words = `Block ${SLOTS[0]} cleaned up, does not exist on node. First available block: 99`;
    node.reply = (request) =>
      request.method === "getBlock" ? { error: { code: -32001, message: words } } : answer(request);
    expect(await fault(`${SLOTS[0]}`)).toContain(words);
    expect(pauses).toEqual([]);
  });

  test("that refuses one block, nobody waits to ask again for those beside it", async () => {
    const gone = { code: -32001, message: "Block 1 cleaned up" };
    node.reply = (request) => {
      if (request.method !== "getBlock") return answer(request);
      return request.params[0] === SLOTS[3] ? { error: gone } : { body: "", status: 503 };
    };
    const ended: unknown[] = [];
    const pause = (_: number, signal: AbortSignal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        ended.push(once(signal, "abort"));
      });
    const request = { from: node.url, slots: ALL, to };
    const imported = importLedger(request, { print: () => undefined, pause });
    await expect(imported).rejects.toThrow(gone.message);
    await Promise.all(ended);
  });

  test("that lacks the beginning or the end of the range, nothing is fetched", async () => {
    expect(await fault(`${firstSlot - 1}-${finalizedSlot}`)).toMatch(`before slot ${firstSlot}`);
    expect(await fault(`${firstSlot}-${finalizedSlot + 1}`)).toMatch(
      `last finalized slot is ${finalizedSlot}`,
    );
    expect(askedBlocks()).toEqual([]);
  });

  test("of another chain, nothing is fetched", async () => {
    await run(`${SLOTS[0]}`);
    node.genesisHash = "Other";
    expect(await fault(ALL)).toMatch(/another chain.*Other/);
    expect(askedBlocks()).toEqual([SLOTS[0]]);
  });

  test("whose block is damaged, the import ends with its slot, and keeps nothing of it", async () => {
    node.reply = (request) =>
      request.method === "getBlock"
        ? { resultText: blockText(SLOTS[1] ?? 0).replace(/\["A/, '["!') }
        : answer(request);
    expect(await fault(`${SLOTS[1]}`)).toMatch(`the block of slot ${SLOTS[1]}: transaction 0`);
    expect(readdirSync(join(to, "blocks"))).toEqual([]);
    expect(existsSync(join(to, "ledger.json"))).toBe(false);
  });
});

describe("what is there", () => {
  test("is not fetched again, unless it was cut short", async () => {
    const half = SLOTS[Math.floor(SLOTS.length / 2)] ?? 0;
    await run(`${firstSlot}-${half}`);
    const before = askedBlocks().length;
    truncateSync(join(to, `blocks/${firstSlot}.json`), 100);
    const { summary } = await run(ALL);
    const rest = [firstSlot, ...SLOTS.filter((slot) => slot > half)];
    expect(askedBlocks().slice(before).sort()).toEqual(rest);
    expect(summary).toMatchObject({ imported: rest.length, kept: SLOTS.length - rest.length });
    expect(readFileSync(join(to, `blocks/${firstSlot}.json`), "utf8")).toBe(blockText(firstSlot));
  });

  test("of an import that was killed is whole, and its rest comes with the next", async () => {
    const held = SLOTS[8];
    node.reply = (request) =>
      request.method === "getBlock" && request.params[0] === held ? "hang" : answer(request);
    const args = ["ledger", "import", "--from", node.url, "--slots", ALL, "--to", to];
    const child = spawn(process.execPath, [CLI, ...args], { stdio: "ignore" });
    await expect.poll(() => askedBlocks().length, { timeout: 20_000 }).toBe(SLOTS.length);
    const isWhole = (name: string) => name.endsWith(".json");
    const whole = () => readdirSync(join(to, "blocks")).filter(isWhole).length;
    await expect.poll(whole, { timeout: 20_000 }).toBe(SLOTS.length - 1);
    child.kill("SIGKILL");
    await once(child, "exit");
    node.reply = answer;
    const { summary } = await run(ALL);
    expect(summary).toMatchObject({ imported: 1, kept: SLOTS.length - 1 });
    expect(askedBlocks().slice(SLOTS.length)).toEqual([held]);
  });

  test("is widened to both sides, never over slots that nobody asked the node for", async () => {
    const [, , , middle = 0] = SLOTS;
    const last = SLOTS.at(-1) ?? 0;
    await run(`${middle}`);
    const text = await fault(`${last}`);
    expect(text).toMatch(`import --slots ${middle + 1}-${last}`);
    expect(await fault(`${firstSlot}`)).toMatch(`import --slots ${firstSlot}-${middle - 1}`);
    await run(`${firstSlot}-${middle - 1}`);
    await run(`${middle + 1}-${last}`);
    expect(ledger()).toMatchObject({ firstSlot, finalizedSlot: last });
  });

  test("may end before a skipped slot that the next range begins behind", async () => {
    const after = SLOTS.find((slot, index) => index > 0 && SLOTS[index - 1] !== slot - 1) ?? 0;
    await run(`${firstSlot}-${after - 2}`);
    await run(`${after}-${finalizedSlot}`);
    expect(ledger()).toMatchObject({ firstSlot, finalizedSlot });
  });
});

describe("what cannot be", () => {
  test("is said in plain words: slots, URLs, folders", async () => {
    expect(await fault("5-1")).toMatch(/ends at 1, before/);
    expect(await fault("all")).toMatch(/such as 432000-432999/);
    expect(await fault("1-5", `ws://127.0.0.1/${KEY}`)).toMatch(/http:\/\/ or https:\/\//);
    expect(await fault("1-5", `http://[${KEY}`)).toMatch(/cannot be read/);
    expect(await fault("1-5", join(folder, "nowhere"))).toMatch(/no files of blocks/);
  });

  test("is a folder where a file stands, or a disk that is full", async () => {
    writeFileSync(to, "");
    expect(await fault(ALL)).toMatch(/cannot write into .*a file stands in its place/);
    rmSync(to);
    symlinkSync("/proc/self/net", to);
    expect(await fault(ALL)).toMatch(/cannot write into /);
    rmSync(to);
    mkdirSync(join(to, "blocks"), { recursive: true });
    symlinkSync("/dev/full", join(to, `blocks/${firstSlot}.json.partial`));
    const swept = await run(`${firstSlot}`);
    expect(swept.summary).toMatchObject({ imported: 1 });
    symlinkSync("/dev/full", join(to, "ledger.json.partial"));
    expect(await fault(`${firstSlot + 1}`)).toMatch(/no space is left on the device/);
  });

  test("is a range of skipped slots alone, where there is no ledger yet", async () => {
    const skipped = SLOTS.map((slot) => slot + 1).find((slot) => !SLOTS.includes(slot)) ?? 0;
    expect(await fault(`${skipped}`)).toMatch(`no block in the slots ${skipped}-${skipped}`);
  });
});

test("progress is told once a second at most, and says what was done", async () => {
  let nowMs = 0;
  const clock = { now: () => 0, monotonic: () => nowMs };
  const printed: string[] = [];
  node.reply = (request) => {
    if (request.method === "getBlock") nowMs += 300;
    return answer(request);
  };
  const print = (text: string) => printed.push(text);
  await importLedger({ from: node.url, slots: ALL, to }, { print, clock });
  expect(printed.length).toBeGreaterThan(1);
  expect(printed.length).toBeLessThanOrEqual((SLOTS.length * 300) / 1000);
  expect(printed[0]).toMatch(/^0 of 15 slots \(0 %\), \d blocks, 0 skipped, \d blocks a second$/);
});
