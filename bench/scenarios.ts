import { digitsOf, FIRST_NUMBER, HEAD_NUMBER } from "./chain.ts";

/** What can be measured: Tollgate and its floors (`floors.ts`). */
export type SubjectName = "http-constant" | "http-proxy" | "ws-constant" | "tollgate";
export type ScenarioName = "local" | "forward" | "block-300k" | "batch-100" | "websocket";

export type Scenario = {
  readonly name: ScenarioName;
  readonly protocol: "http" | "websocket";
  /** The body of the n-th request of the run, in ASCII. */
  readonly body: (n: number) => string;
  readonly callsPerBody: number;
  readonly connections: number;
  /** What Tollgate's CPU per call is held against, measured in the same run. */
  readonly floor: { readonly subject: SubjectName; readonly scenario: ScenarioName };
  /** The most that the ratio to the floor may be; null where none is set yet. */
  readonly target: number | null;
  /** Calls a second of the open loop; null where latency is not measured. */
  readonly rate: number | null;
};

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

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "local",
    protocol: "http",
    body: () => CHAIN_ID,
    callsPerBody: 1,
    connections: 32,
    floor: { subject: "http-constant", scenario: "local" },
    target: 1.4,
    rate: 1000,
  },
  {
    name: "forward",
    protocol: "http",
    body: ethCall,
    callsPerBody: 1,
    connections: 32,
    floor: { subject: "http-proxy", scenario: "forward" },
    target: 1.5,
    rate: 1000,
  },
  {
    name: "block-300k",
    protocol: "http",
    body: fullBlock,
    callsPerBody: 1,
    connections: 8,
    floor: { subject: "http-proxy", scenario: "block-300k" },
    target: 1.3,
    rate: null,
  },
  {
    name: "batch-100",
    protocol: "http",
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
    body: () => CHAIN_ID,
    callsPerBody: 1,
    connections: 32,
    floor: { subject: "ws-constant", scenario: "websocket" },
    target: null,
    rate: 1000,
  },
];

/** The scenario of a name. Throws an Error that lists the names. */
export function scenarioOf(name: string): Scenario {
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  throw new Error(`no scenario "${name}": ${SCENARIOS.map((known) => known.name).join(", ")}`);
}
