import { fileURLToPath } from "node:url";
import { type CalledFunction, Inspector } from "../../bench/inspector.ts";
import { PROGRAM, SOURCE } from "../support/program.ts";
import { openRaw, readAnswers } from "../support/raw-connection.ts";
import { startStandInNode } from "../support/stand-in-node.ts";
import { makeKey, openWorkplace } from "../support/started-gateway.ts";

const SOURCES = new URL("../../src/", import.meta.url);
/** Functions are told by the files that people read. */
const toSource = (word: string): string => (word === PROGRAM ? SOURCE : word);
/** What happens once in a while, beside a call, is not in all of so many. */
const RECORDINGS = 6;
/** Until all that is done once has been done. */
const WARM_UP = 60;
/** What follows an answer: counters, the next read. */
const SETTLED_MS = 20;

/** The names of the functions by their file in `src/`; without a name: `(anonymous)`. */
export type CallList = ReadonlyMap<string, readonly string[]>;

/** What one call runs: a kept block, and an `eth_call` that a node answers, over one plain connection. */
export async function recordCallLists(): Promise<{
  readonly hit: CallList;
  readonly miss: CallList;
}> {
  const node = await startStandInNode(async ({ id, method, params }) => {
    const block = { number: params[0], hash: `0x${"ab".repeat(32)}`, transactions: [] };
    const result = method === "eth_call" ? `0x${"0".repeat(63)}1` : block;
    const body = JSON.stringify({ jsonrpc: "2.0", id, result });
    // As go-ethereum sends small answers: with their length, not in chunks.
    return { body, headers: { "content-length": body.length } };
  });
  // The block that is asked for lies deep enough to be kept.
  node.head = 10_000;
  const workplace = await openWorkplace({
    server: { port: 0, wire: "plain" },
    admin: { port: 0 },
    storage: { url: "sqlite:./tollgate.db" },
    networks: [
      { name: "node", family: "evm", chainId: 1, upstreams: [{ name: "a", url: node.url }] },
    ],
  });
  try {
    const key = await makeKey(workplace);
    const command = ([file = "", ...args]: readonly string[]) =>
      [file, "--inspect=127.0.0.1:0", ...args.map(toSource)] as const;
    const gateway = await workplace.start({ command });
    const inspector = await Inspector.ofProgram(gateway.process.output());
    const connection = await openRaw(gateway.port);
    const ask = async (method: string, params: readonly unknown[]) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const before = connection.received().length;
      connection.send(
        `POST /node/v3/${key} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      while (connection.received().length === before) await pause(1);
      await pause(SETTLED_MS);
      const [answer] = readAnswers(connection.received().slice(before));
      if (!answer?.body.includes('"result"')) throw new Error(`no result: ${answer?.body}`);
    };
    let calls = 0;
    const kinds = {
      hit: () => ask("eth_getBlockByNumber", ["0x10", false]),
      miss: () => {
        calls += 1;
        return ask("eth_call", [{ to: `0x${"1".repeat(40)}`, data: dataOf(calls) }, "latest"]);
      },
    };
    for (let n = 0; n < WARM_UP; n += 1) await kinds[n % 2 === 0 ? "hit" : "miss"]();
    const listOf = async (run: () => Promise<void>) => {
      const recordings: (readonly CalledFunction[])[] = [];
      while (recordings.length < RECORDINGS) recordings.push(await inspector.calledDuring(run));
      return common(recordings);
    };
    const lists = { hit: await listOf(kinds.hit), miss: await listOf(kinds.miss) };
    inspector.close();
    connection.socket.destroy();
    return lists;
  } finally {
    await workplace.clear();
    await node.stop();
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const dataOf = (n: number): string => `0x${n.toString(16).padStart(8, "0")}`;

/** What all of them have, of `src/` alone. */
function common(recordings: readonly (readonly CalledFunction[])[]): CallList {
  const times = new Map<string, { readonly called: CalledFunction; count: number }>();
  for (const called of recordings.flat()) {
    const key = `${called.url} ${called.at}`;
    const known = times.get(key) ?? { called, count: 0 };
    known.count += 1;
    times.set(key, known);
  }
  const list = new Map<string, string[]>();
  for (const { called, count } of times.values()) {
    // The first of a script is the script itself.
    if (count < RECORDINGS || !called.url.startsWith(SOURCES.href) || called.at === 0) continue;
    const file = fileURLToPath(called.url).slice(fileURLToPath(SOURCES).length);
    const names = list.get(file) ?? [];
    list.set(file, names);
    names.push(called.name === "" ? "(anonymous)" : called.name);
  }
  return list;
}
