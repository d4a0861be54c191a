import {
  batchOf,
  blockByHash,
  CHAIN_ID,
  ethCall,
  knownBlock,
  knownFullBlock,
  ledgerBlock,
  newBlock,
  receipt,
  slotBlock,
} from "./bodies.ts";

/**
 * What can be measured: Tollgate, its floors (`floors.ts`), and the stand-in node, with the subject's
 * core as `node` and on the others' as `direct`, where nothing stands between it and its clients. Tollgate has SQLite, or
 * PostgreSQL, or traces calls.
 */
export type SubjectName = FloorName | "node" | "direct" | TollgateName;
export type TollgateName = "tollgate" | "tollgate-postgres" | "tollgate-traced";
export type FloorName =
  | "http-constant"
  | "net-constant"
  | "ws-constant"
  | "http-proxy"
  | "net-proxy";

export type ScenarioName =
  | "local"
  | "hit-number"
  | "hit-hash"
  | "hit-receipt"
  | "hit-10k"
  | "networks-8"
  | "forward"
  | "identical-1000"
  | "block-300k-hit"
  | "block-300k-miss"
  | "batch-100"
  | "batch-100-batched"
  | "websocket-hit"
  | "websocket-miss"
  | "slot-block-5m"
  | "slot-ledger";

/** What is counted for each call of a closed loop; machines and their load do not change it. */
export type Counts = {
  /** Calls that reached a node on behalf of a client. */
  readonly upstreamCalls: number;
  /** Requests that carried them. */
  readonly upstreamRequests: number;
  /** Bytes that the client received, heads included. */
  readonly bytes: number;
  /** Writes of the whole process as /proc counts them: sockets, files, wake-ups; null where it is absent. */
  readonly writes: number | null;
};

export type Scenario = {
  readonly name: ScenarioName;
  readonly protocol: "http" | "websocket";
  /**
   * Of Tollgate's networks: nodes of the EVM family, the same in batches, eight of them and many keys,
   * slot nodes, a ledger of files.
   */
  readonly network: "bench" | "batched" | "many" | "slots" | "ledger";
  /** The body of the n-th request of the run, in ASCII. */
  readonly body: (n: number) => string;
  /** What the floors that answer a constant answer. */
  readonly answer: "word" | "block" | "receipt";
  readonly callsPerBody: number;
  readonly connections: number;
  /** Every connection sends the same body at once, and the next when the last one is answered. */
  readonly atOnce: boolean;
  /** So many bodies, from the first, are sent before each loop, so that the cache has them. */
  readonly primed: number;
  /** What Tollgate's CPU per call is held against, measured in the same run; null: nothing. */
  readonly floor: { readonly subject: SubjectName; readonly scenario: ScenarioName } | null;
  /** Measured too, for a comparison. */
  readonly beside: readonly SubjectName[];
  /** Null where none is set. */
  readonly target: Target | null;
  /** How often it is measured in each round. */
  readonly repeats: number;
  /** Calls a second of the open loop; null where latency is not measured. */
  readonly rate: number | null;
  /**
   * The most that Tollgate may add to the node's own p50, in times of what `net-proxy` adds to that of
   * `forward`; null: nothing is held against it.
   */
  readonly addedP50: number | null;
  /** The run fails where Tollgate counts more than this for each call. */
  readonly bounds: Partial<Counts>;
};

/** The most that the ratio to the floor may be, or the least calls that a second of CPU must do. */
export type Target = { readonly ratio: number } | { readonly callsPerCpuSecond: number };

const BASE = {
  protocol: "http",
  network: "bench",
  answer: "word",
  callsPerBody: 1,
  connections: 32,
  atOnce: false,
  primed: 0,
  floor: null,
  beside: [],
  target: null,
  repeats: 1,
  rate: null,
  addedP50: null,
  bounds: {},
} as const;

const AT_ONCE = 1000;
/** A lookup is asked for a second time before large answers are kept, and once more to be sure. */
const FULL_BLOCKS = 16;
const TO_KEEP_LARGE = 3;
/** Upstreams are hedged up to a tenth of the calls; one that a hit asks for was dropped meanwhile. */
const [NEARLY_NONE, NEARLY_ONE] = [0.01, 1.11];
/** One for the answer, and what the ledger, the usage and the heads write in a second. */
const ONE_WRITE = { writes: 1.15 };
/** One to the node and one to the client; a hedge and the storage's besides. */
const TWO_WRITES = { writes: 2.4 };

function hit(
  name: ScenarioName,
  own: Pick<Scenario, "body" | "answer" | "primed"> & Partial<Scenario>,
): Scenario {
  return {
    ...BASE,
    name,
    floor: { subject: "net-constant", scenario: name },
    target: { ratio: 1.6 },
    bounds: { upstreamCalls: NEARLY_NONE, ...ONE_WRITE },
    ...own,
  };
}

export const SCENARIOS: readonly Scenario[] = [
  {
    ...BASE,
    name: "local",
    body: () => CHAIN_ID,
    floor: { subject: "net-constant", scenario: "local" },
    beside: ["http-constant"],
    target: { ratio: 1.5 },
    rate: 1000,
    bounds: { upstreamCalls: 0, ...ONE_WRITE },
  },
  hit("hit-number", {
    body: (n) => knownBlock(n, 1),
    answer: "block",
    primed: 64,
    rate: 1000,
    addedP50: 0.6,
  }),
  hit("hit-hash", { body: blockByHash, answer: "block", primed: 64 }),
  hit("hit-receipt", { body: receipt, answer: "receipt", primed: 64 }),
  hit("hit-10k", { body: (n) => knownBlock(n, 10_000), answer: "block", primed: 10_000 }),
  hit("networks-8", {
    network: "many",
    body: (n) => knownBlock(n, 100),
    answer: "block",
    // Every network has its own hundred, and the keys that call most are known then.
    primed: 8000,
    target: null,
    // Keys that are not known yet are looked up in the store, and paid from leases of their own account.
    bounds: { upstreamCalls: NEARLY_NONE },
  }),
  {
    ...BASE,
    name: "forward",
    body: ethCall,
    floor: { subject: "net-proxy", scenario: "forward" },
    beside: ["http-proxy"],
    target: { ratio: 1.5 },
    // Each answer passes four sockets and two processes: one second differs from the next by a third.
    repeats: 3,
    rate: 1000,
    addedP50: 1.4,
    bounds: { upstreamCalls: NEARLY_ONE, ...TWO_WRITES },
  },
  {
    ...BASE,
    name: "identical-1000",
    body: (n) => ethCall(n + 2 ** 40),
    connections: AT_ONCE,
    atOnce: true,
    bounds: { upstreamCalls: NEARLY_ONE / AT_ONCE },
  },
  {
    ...BASE,
    name: "block-300k-hit",
    body: (n) => knownFullBlock(n, FULL_BLOCKS),
    connections: 8,
    primed: FULL_BLOCKS * TO_KEEP_LARGE,
    floor: { subject: "node", scenario: "block-300k-hit" },
    target: { ratio: 1.2 },
    bounds: { upstreamCalls: NEARLY_NONE },
  },
  {
    ...BASE,
    name: "block-300k-miss",
    body: (n) => newBlock(n, true),
    connections: 8,
    floor: { subject: "net-proxy", scenario: "block-300k-miss" },
    beside: ["http-proxy"],
    target: { ratio: 1.2 },
    bounds: { upstreamCalls: NEARLY_ONE },
  },
  {
    ...BASE,
    name: "batch-100",
    body: (n) => batchOf(n, 100),
    callsPerBody: 100,
    connections: 4,
    // A proxy passes a batch on as one call; a call answered alone is the fairer measure.
    floor: { subject: "http-constant", scenario: "local" },
    target: { ratio: 0.83 },
    bounds: { upstreamCalls: NEARLY_ONE },
  },
  {
    ...BASE,
    name: "batch-100-batched",
    network: "batched",
    body: (n) => batchOf(n, 100),
    callsPerBody: 100,
    connections: 4,
    floor: { subject: "http-constant", scenario: "local" },
    target: { ratio: 0.28 },
    bounds: { upstreamCalls: NEARLY_ONE, upstreamRequests: 0.1 },
  },
  {
    ...BASE,
    name: "websocket-hit",
    protocol: "websocket",
    body: (n) => knownBlock(n, 1),
    answer: "block",
    primed: 64,
    floor: { subject: "ws-constant", scenario: "websocket-hit" },
    target: { ratio: 1.4 },
    rate: 1000,
    bounds: { upstreamCalls: NEARLY_NONE, ...ONE_WRITE },
  },
  {
    ...BASE,
    name: "websocket-miss",
    protocol: "websocket",
    body: ethCall,
    floor: { subject: "ws-constant", scenario: "websocket-miss" },
    target: { ratio: 3 },
    rate: 1000,
    bounds: { upstreamCalls: NEARLY_ONE, ...TWO_WRITES },
  },
  {
    ...BASE,
    name: "slot-block-5m",
    network: "slots",
    body: slotBlock,
    connections: 4,
    floor: { subject: "http-proxy", scenario: "slot-block-5m" },
    target: { ratio: 1.15 },
  },
  {
    ...BASE,
    name: "slot-ledger",
    network: "ledger",
    body: ledgerBlock,
    connections: 8,
    target: { callsPerCpuSecond: 200 },
  },
];

/** The scenario of a name. Throws an Error that lists the names. */
export function scenarioOf(name: string): Scenario {
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  throw new Error(`no scenario "${name}": ${SCENARIOS.map((known) => known.name).join(", ")}`);
}
