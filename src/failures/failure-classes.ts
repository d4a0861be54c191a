/** The client's answer where that is not the one of the class: docs/decisions.md, "Slot networks". */
export type ClientAnswer = "null" | "node_error" | "unavailable";

type ClassRow = {
  /** For people. */
  readonly meaning: string;
  /** The client's answer, once every node worth asking was asked. */
  readonly answer: ClientAnswer | "revert" | "failed" | "invalid_params" | "no_block" | "no_method";
  /** Whether another node may answer better. */
  readonly askAnother: boolean;
  /** Whether the node is to blame: its circuit breaker counts it. */
  readonly countsAgainstHealth: boolean;
  /** If several nodes failed, the highest rank is told, and the first among equals. 0 is never told. */
  readonly rank: number;
};

/** The node's answer to the call: every node would say the same. */
const final = (answer: ClassRow["answer"], meaning: string): ClassRow =>
  Object.freeze({ meaning, answer, askAnother: false, countsAgainstHealth: false, rank: 0 });

/** This node lacks something that another may have. */
const elsewhere = (answer: ClassRow["answer"], rank: number, meaning: string): ClassRow =>
  Object.freeze({ meaning, answer, askAnother: true, countsAgainstHealth: false, rank });

/** The node does not work as it should. */
const fault = (meaning: string): ClassRow =>
  Object.freeze({
    meaning,
    answer: "unavailable",
    askAnother: true,
    countsAgainstHealth: true,
    rank: 0,
  });

/** THE table of what failures of nodes mean. docs/errors.md is made from it. */
export const FAILURE_CLASSES = Object.freeze({
  revert: final("revert", "The contract executed REVERT."),
  halt: final(
    "failed",
    "The EVM stopped for another reason: out of gas, an invalid opcode, a stack limit.",
  ),
  call_rejected: final(
    "failed",
    "The EVM would not begin: too little balance, a nonce or a fee that cannot be.",
  ),
  invalid_params: final("invalid_params", "The node does not take a parameter."),
  not_found: final("null", "There is no such block, transaction, receipt or uncle."),
  too_large: final("failed", "The answer is over a bound of the node's own."),
  execution_timeout: final("failed", "The call ran longer than the node allows."),
  missing_state: elsewhere("node_error", 3, "The node has pruned what the call needs."),
  block_unknown: elsewhere("no_block", 2, "The node does not have the block."),
  indexing: elsewhere("node_error", 3, "The node is still building its index of transactions."),
  /** Told where it is the answer of all nodes. */
  method_unknown: elsewhere("no_method", 0, "The node does not have the method."),
  rate_limited: elsewhere("unavailable", 0, "The node takes no more calls for the moment."),
  /** One other node is asked, then the error is passed on. */
  unknown: elsewhere("node_error", 2, "A JSON-RPC error that no row maps."),
  syncing: fault("The node is behind its network."),
  timeout: fault("The node, or a proxy before it, gave up waiting."),
  overloaded: fault("The node is too busy."),
  billing: fault("The account at the node's provider is used up."),
  unauthorized: fault("The node does not accept the gateway's credentials."),
  internal: fault(
    "The node failed, or its answer is no JSON-RPC: malformed, cut off, or not UTF-8.",
  ),
} as const satisfies Record<string, ClassRow>);

/** The meaning of an upstream's failure. */
export type FailureClass = keyof typeof FAILURE_CLASSES;
