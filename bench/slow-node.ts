/**
 * A node that takes as long for a request as one that is busy: `node bench/slow-node.ts EPOCH_MS BLOCK_MS
 * ANSWER_MS`. A third of the time is chance, so that its places do not come free in bursts. Its chain has
 * grown by a block every BLOCK_MS since that Unix time.
 */
import { createServer, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "./child.ts";
import { BIG_ADDRESS, bigAnswer } from "./slow-answers.ts";

type Call = { readonly id: unknown; readonly method: string; readonly params?: readonly unknown[] };

const [epochMs = 0, blockMs = 1, answerMs = 0] = process.argv.slice(2).map(Number);
const JITTER = 1 / 3;

const word = (number: number): string => `0x${number.toString(16).padStart(64, "0")}`;

function blockOf(number: number): object {
  return {
    ...{ number: `0x${number.toString(16)}`, hash: word(number), parentHash: word(number - 1) },
    ...{ timestamp: `0x${Math.floor((epochMs + number * blockMs) / 1000).toString(16)}` },
    ...{ gasLimit: "0x1c9c380", gasUsed: "0x0", nonce: "0x0000000000000000", size: "0x200" },
    ...{ miner: `0x${"0".repeat(40)}`, difficulty: "0x0", extraData: "0x", transactions: [] },
    ...{ baseFeePerGas: "0x1", logsBloom: `0x${"0".repeat(512)}`, mixHash: word(0), uncles: [] },
    ...{
      receiptsRoot: word(1),
      sha3Uncles: word(2),
      stateRoot: word(3),
      transactionsRoot: word(4),
    },
  };
}

function resultOf({ method, params = [] }: Call): unknown {
  const head = Math.floor((Date.now() - epochMs) / blockMs);
  switch (method) {
    case "eth_chainId":
      return "0x1";
    case "net_version":
      return "1";
    case "eth_syncing":
      return false;
    case "web3_clientVersion":
      return "slow/1.0.0";
    case "eth_blockNumber":
      return `0x${head.toString(16)}`;
    case "eth_getBlockByHash":
    case "eth_getBlockByNumber": {
      // A block's hash is its number.
      const number = /^0x[\da-f]+$/.test(String(params[0])) ? Number(params[0]) : head;
      return number > head ? null : blockOf(number);
    }
    default:
      return "0x01";
  }
}

const answerOf = (call: Call): object => ({ jsonrpc: "2.0", id: call.id, result: resultOf(call) });

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const part of request) body += part;
  return body;
}

serve(
  createServer(async (request, response) => {
    const message = JSON.parse(await bodyOf(request)) as Call | Call[];
    await sleep(answerMs * (1 - JITTER / 2 + Math.random() * JITTER));
    response.setHeader("content-type", "application/json");
    if (!Array.isArray(message) && String(message.params?.[0]).startsWith(BIG_ADDRESS)) {
      const pieces = bigAnswer(message.id);
      response.setHeader(
        "content-length",
        pieces.reduce((sum, { length }) => sum + length, 0),
      );
      for (const piece of pieces) response.write(piece);
      response.end();
      return;
    }
    const answer = Array.isArray(message) ? message.map(answerOf) : answerOf(message);
    response.end(JSON.stringify(answer));
  }),
);
