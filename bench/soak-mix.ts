import { FAMILIES } from "../src/methods/families.ts";
import {
  batchOf,
  blockByHash,
  CHAIN_ID,
  call,
  ethCall,
  knownBlock,
  knownFullBlock,
  newBlock,
  receipt,
} from "./bodies.ts";
import { REVERTING_CALL } from "./chain.ts";

/** One kind of request of a soak. */
export type Kind = {
  readonly name: string;
  /** How often it comes, of the sum of all. */
  readonly weight: number;
  readonly body: (n: number) => string;
  /** What the first bytes of its answer hold. */
  readonly expected: string;
  /** What the ledger has to charge for it. */
  readonly credits: number;
};

const BATCH_CALLS = 10;
const RESULT = '"result":';

/** What clients send, from the cheapest to the dearest, mistakes included. */
export const KINDS: readonly Kind[] = [
  kind("local", 20, { method: "eth_chainId", body: () => CHAIN_ID }),
  kind("hit by number", 20, { method: "eth_getBlockByNumber", body: (n) => knownBlock(n, 200) }),
  kind("hit by hash", 5, { method: "eth_getBlockByHash", body: blockByHash }),
  kind("receipt", 5, { method: "eth_getTransactionReceipt", body: receipt }),
  kind("latest block", 10, {
    method: "eth_getBlockByNumber",
    body: () => call("eth_getBlockByNumber", '["latest",false]'),
  }),
  kind("eth_call", 15, { method: "eth_call", body: ethCall }),
  kind("new block", 10, { method: "eth_getBlockByNumber", body: (n) => newBlock(n, false) }),
  kind("300 KB again", 0.5, {
    method: "eth_getBlockByNumber",
    body: (n) => knownFullBlock(n, 8),
  }),
  kind("300 KB once", 0.5, { method: "eth_getBlockByNumber", body: (n) => newBlock(n, true) }),
  kind("batch", 4, {
    method: "eth_call",
    calls: BATCH_CALLS,
    body: (n) => batchOf(n, BATCH_CALLS),
  }),
  kind("revert", 5, { method: "eth_call", body: reverting, expected: '"code":3,' }),
  kind("bad params", 5, {
    method: "eth_getBalance",
    calls: 0,
    body: () => call("eth_getBalance", '["0x12"]'),
    expected: '"code":-32602,',
  }),
];

const TOTAL_WEIGHT = KINDS.reduce((sum, { weight }) => sum + weight, 0);

/** The kind at a place from 0 to 1 of the mix. */
export function kindAt(share: number): Kind {
  let left = share * TOTAL_WEIGHT;
  const found = KINDS.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
  return found ?? (KINDS[0] as Kind);
}

function kind(
  name: string,
  weight: number,
  own: {
    readonly method: string;
    readonly body: (n: number) => string;
    readonly expected?: string;
    /** Calls of a body that are served. */
    readonly calls?: number;
  },
): Kind {
  const { method, body, expected = RESULT, calls = 1 } = own;
  const definition = FAMILIES.evm.lookUp(method);
  if (definition === undefined) throw new Error(`no method ${method}`);
  return { name, weight, body, expected, credits: definition.credits * calls };
}

function reverting(n: number): string {
  const data = `${REVERTING_CALL}${n.toString(16).padStart(64, "0")}`;
  const to = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
  return call("eth_call", `[{"to":"${to}","data":"${data}"},"latest"]`);
}
