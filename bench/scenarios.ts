import { digitsOf, FIRST_NUMBER, HEAD_NUMBER } from "./chain.ts";
import { FIRST_SLOT, LAST_LEDGER_SLOT, OLD_SLOTS } from "./slot-chain.ts";

/** What can be measured: Tollgate and its floors (`floors.ts`). */
export type SubjectName = "http-constant" | "http-proxy" | "ws-constant" | "tollgate";
export type ScenarioName =
  | "local"
  | "forward"
  | "block-300k"
  | "batch-100"
  | "websocket"
  | "slot-block-5m"
  | "slot-ledger";

export type Scenario = {
  readonly name: ScenarioName;
  readonly protocol: "http" | "websocket";
  /** Of Tollgate's networks: nodes of the EVM family, slot nodes, a ledger of files. */
  readonly network: "bench" | "slots" | "ledger";
  /** The body of the n-th request of the run, in ASCII. */
  readonly body: (n: number) => string;
  readonly callsPerBody: number;
  readonly connections: number;
  /** What Tollgate's CPU per call is held against, measured in the same run; null: nothing. */
  readonly floor: { readonly subject: SubjectName; readonly scenario: ScenarioName } | null;
  /** Null where none is set yet. */
  readonly target: Target | null;
  /** Calls a second of the open loop; null where latency is not measured. */
  readonly rate: number | null;
};

/** The most that the ratio to the floor may be, or the least calls that a second of CPU must do. */
export type Target = { readonly ratio: number } | { readonly callsPerCpuSecond: number };

const CHAIN_ID = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}';

/** balanceOf of another account each time, so that no cache and no single flight can answer it. */
function ethCall(n: number): string {
  const account = n.toString(16).padStart(64, "0");
  return `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"from":"0x00000000219ab540356cbb839cbe05303d7705fa","to":"0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48","data":"0x70a08231${account}"},"latest"]}`;
}

function fullBlock(n: number): string {
  const number = HEAD_NUMBER - 100 - (n % (HEAD_NUMBER - 100 - FIRST_NUMBER));
  return `{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["0x${digitsOf(number)}",true]}`;
}

function batch(n: number): string {
  return `[${Array.from({ length: 100 }, (_, at) => ethCall(n * 100 + at)).join(",")}]`;
}

/** The defaults of getBlock but for the version, which every client of today gives. */
function slotBlock(n: number): string {
  return getBlock(FIRST_SLOT + (n % OLD_SLOTS), "json");
}

function ledgerBlock(n: number): string {
  return getBlock(FIRST_SLOT + (n % (LAST_LEDGER_SLOT + 1 - FIRST_SLOT)), "base64");
}

function getBlock(slot: number, encoding: "json" | "base64"): string {
  return `{"jsonrpc":"2.0","id":1,"method":"getBlock","params":[${slot},{"encoding":"${encoding}","transactionDetails":"full","rewards":false,"maxSupportedTransactionVersion":0}]}`;
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "local",
    protocol: "http",
    network: "bench",
    body: () => CHAIN_ID,
    callsPerBody: 1,
    connections: 32,
    floor: { subject: "http-constant", scenario: "local" },
    target: { ratio: 1.4 },
    rate: 1000,
  },
  {
    name: "forward",
    protocol: "http",
    network: "bench",
    body: ethCall,
    callsPerBody: 1,
    connections: 32,
    floor: { subject: "http-proxy", scenario: "forward" },
    target: { ratio: 1.5 },
    rate: 1000,
  },
  {
    name: "block-300k",
    protocol: "http",
    network: "bench",
    body: fullBlock,
    callsPerBody: 1,
    connections: 8,
    floor: { subject: "http-proxy", scenario: "block-300k" },
    target: { ratio: 1.3 },
    rate: null,
  },
  {
    name: "batch-100",
    protocol: "http",
    network: "bench",
    body: batch,
    callsPerBody: 100,
    connections: 4,
    // A proxy passes a batch on as one call; a call answered alone is the fairer measure.
    floor: { subject: "http-constant", scenario: "local" },
    target: null,
    rate: null,
  },
  {
    name: "websocket",
    protocol: "websocket",
    network: "bench",
    body: () => CHAIN_ID,
    callsPerBody: 1,
    connections: 32,
    floor: { subject: "ws-constant", scenario: "websocket" },
    target: null,
    rate: 1000,
  },
  {
    name: "slot-block-5m",
    protocol: "http",
    network: "slots",
    body: slotBlock,
    callsPerBody: 1,
    connections: 4,
    floor: { subject: "http-proxy", scenario: "slot-block-5m" },
    target: { ratio: 1.15 },
    rate: null,
  },
  {
    name: "slot-ledger",
    protocol: "http",
    network: "ledger",
    body: ledgerBlock,
    callsPerBody: 1,
    connections: 8,
    floor: null,
    target: { callsPerCpuSecond: 200 },
    rate: null,
  },
];

/** The scenario of a name. Throws an Error that lists the names. */
export function scenarioOf(name: string): Scenario {
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  throw new Error(`no scenario "${name}": ${SCENARIOS.map((known) => known.name).join(", ")}`);
}
