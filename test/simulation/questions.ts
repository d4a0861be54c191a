import type { JsonValue } from "../../src/jsonrpc/value.ts";
import { GAS_PRICE } from "./node-answers.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { ancestor, type Block, type SimulatedChain } from "./simulated-chain.ts";

/** What a call's answer has to be. */
export type Expected =
  /** Of one block, by number or tag; `state`: computed from its state. */
  | { readonly kind: "block" | "state"; readonly reference: string }
  /** Of the block with this hash. */
  | { readonly kind: "hash" | "stateOfHash"; readonly hash: string }
  | { readonly kind: "transaction"; readonly hash: string }
  | { readonly kind: "logs"; readonly from: string; readonly to: string }
  | { readonly kind: "head" }
  | { readonly kind: "constant"; readonly result: string };

export type Question = {
  readonly method: string;
  readonly params: JsonValue[];
  readonly expected: Expected;
};

/** What clients know of: of the answers that they got, and from elsewhere. */
export type Knowledge = {
  readonly chain: SimulatedChain;
  /** The gateway's own head; -1: none yet. */
  readonly head: number;
  readonly shown: readonly Block[];
};

const ADDRESS = "0x00000000000000000000000000000000000000aa";
const TAGS = ["latest", "latest", "latest", "safe", "finalized", "earliest", "pending"];
const hex = (number: number): string => `0x${number.toString(16)}`;

/** Something that a client may ask. */
function ask(random: SeededRandom, knowledge: Knowledge): Question {
  const draw = random.next();
  if (draw < 0.3) return state(random, reference(random, knowledge));
  if (draw < 0.5) return block(random, reference(random, knowledge));
  if (draw < 0.6) return byHash(random, someBlock(random, knowledge));
  if (draw < 0.78) return transaction(random, someBlock(random, knowledge));
  if (draw < 0.88) return logs(random, knowledge);
  if (draw < 0.94) return { method: "eth_blockNumber", params: [], expected: { kind: "head" } };
  const expected = { kind: "constant", result: `"${GAS_PRICE}"` } as const;
  return { method: "eth_gasPrice", params: [], expected };
}

/** One message of a client: a call, or a batch, mostly of calls that need the same of a node. */
export function askMessage(random: SeededRandom, knowledge: Knowledge): Question[] {
  const first = ask(random, knowledge);
  if (!random.chance(0.15)) return [first];
  const others = Array.from({ length: random.int(1, 5) }, (_, index) =>
    random.chance(0.9) ? twin(first, index) : ask(random, knowledge),
  );
  return [first, ...others];
}

/** The same of another account, whose state nodes answer for alike; else it is the same question. */
function twin({ method, params: [first, ...rest], expected }: Question, index: number): Question {
  const other = `0x${String(index).padStart(40, "b")}`;
  if (first === ADDRESS) return { method, params: [other, ...rest], expected };
  if (!(first instanceof Map && first.has("to"))) {
    return { method, params: first === undefined ? [] : [first, ...rest], expected };
  }
  return { method, params: [new Map([...first, ["to", other]]), ...rest], expected };
}

export const stateQuestion = (at: string, account = ADDRESS): Question => ({
  ...{ method: "eth_getBalance", params: [account, at] },
  expected: { kind: "state", reference: at },
});

export const blockQuestion = (at: string): Question => ({
  ...{ method: "eth_getBlockByNumber", params: [at, true] },
  expected: { kind: "block", reference: at },
});

export const transactionQuestion = ({ transaction: hash }: Block): Question => ({
  ...{ method: "eth_getTransactionReceipt", params: [hash] },
  expected: { kind: "transaction", hash },
});

function reference(random: SeededRandom, { head }: Knowledge): string {
  const draw = random.next();
  const top = Math.max(head, 0);
  if (draw < 0.5) return random.pick(TAGS);
  if (draw < 0.85) return hex(Math.max(top - random.int(0, 12), 0));
  if (draw < 0.93) return hex(random.int(0, top));
  return hex(top + random.int(1, 3));
}

function someBlock(random: SeededRandom, { chain, shown }: Knowledge): Block {
  if (shown.length > 0 && random.chance(0.5)) return shown.at(-random.int(1, 12)) ?? chain.tip;
  const back = random.int(0, random.chance(0.7) ? 6 : 60);
  return ancestor(chain.tip, Math.max(chain.tip.number - back, 0)) ?? chain.tip;
}

function state(random: SeededRandom, at: string): Question {
  const expected = { kind: "state", reference: at } as const;
  if (random.chance(0.3)) return stateQuestion(at);
  const method = random.chance(0.8) ? "eth_call" : "eth_estimateGas";
  const call = new Map<string, JsonValue>([["to", ADDRESS]]);
  if (random.chance(0.3)) call.set("gas", "0xffffffffff");
  return { method, params: [call, at], expected };
}

function block(random: SeededRandom, at: string): Question {
  const expected = { kind: "block", reference: at } as const;
  if (random.chance(0.7)) return blockQuestion(at);
  return { method: "eth_getBlockReceipts", params: [at], expected };
}

function byHash(random: SeededRandom, { hash }: Block): Question {
  if (random.chance(0.7)) {
    return { method: "eth_getBlockByHash", params: [hash, true], expected: { kind: "hash", hash } };
  }
  const at = new Map<string, JsonValue>([["blockHash", hash]]);
  const expected = { kind: "stateOfHash", hash } as const;
  return { method: "eth_call", params: [new Map([["to", ADDRESS]]), at], expected };
}

function transaction(random: SeededRandom, { transaction: hash }: Block): Question {
  const method = random.pick(["eth_getTransactionByHash", "eth_getTransactionReceipt"]);
  return { method, params: [hash], expected: { kind: "transaction", hash } };
}

function logs(random: SeededRandom, knowledge: Knowledge): Question {
  const last = Math.max(knowledge.head - random.int(0, 5), 0);
  const from = hex(Math.max(last - random.int(0, 4), 0));
  const to = random.chance(0.5) ? "latest" : hex(last + (random.chance(0.1) ? 7 : 0));
  const filter = new Map<string, JsonValue>([
    ["fromBlock", from],
    ["toBlock", to],
  ]);
  return { method: "eth_getLogs", params: [filter], expected: { kind: "logs", from, to } };
}
