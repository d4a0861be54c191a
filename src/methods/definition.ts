import type { MethodGroup } from "../config/method-groups.ts";
import type { RpcError } from "../jsonrpc/errors.ts";
import type { JsonValue } from "../jsonrpc/value.ts";
import type { CheckingShape } from "./shapes/shape.ts";

/**
 * The meaning of a parameter for later stages: the block that is asked for (a number, a tag or
 * `{blockHash, requireCanonical?}`), how many blocks up to it (a quantity), a block's hash, the call,
 * blocks of calls (of eth_simulateV1), the contract, the log filter (blocks and contracts); of a slot network the slot (a number of decimal digits up to 2^64-1) and the
 * config (an object that may hold `commitment` and `minContextSlot`).
 */
export type ParamRole =
  | "block"
  | "block-count"
  | "block-hash"
  | "call"
  | "simulation"
  | "contract"
  | "filter"
  | "slot"
  | "config";

/** Where a method's params have what a role names; -1: nowhere. */
export type ParamPlaces = {
  readonly block: number;
  readonly blockCount: number;
  readonly blockHash: number;
  readonly filter: number;
  readonly call: number;
  readonly slot: number;
  readonly config: number;
  /** Whether the head of an EVM network has to be known to understand them. */
  readonly needHead: boolean;
};

/** The choices of a network about how params are checked. */
export type ParamChoices = {
  /** Enforces each "required" of the specification (`strictParams` of a network). */
  readonly strict: boolean;
  /** The treatment of keys of a call object or a filter that are not known here. */
  readonly unknownKeys: "pass" | "refuse";
};

/** What is asked in place of a method that no node has. */
export type Instead = {
  /** Of the same price; its answers are not kept. */
  readonly definition: Definition;
  /** Its params, by those of the method. */
  readonly args: (args: readonly JsonValue[]) => readonly JsonValue[];
};

/** Plain JSON, unlike the values that are checked. */
export type ParamExample =
  | string
  | number
  | boolean
  | readonly ParamExample[]
  | { readonly [name: string]: ParamExample };

/** A member of an object that a parameter is: one of those that people give most. */
export type ParamMember = {
  readonly name: string;
  /** The right form. */
  readonly want: string;
  readonly role?: "block";
  /** Where it is one of few. */
  readonly choices?: readonly string[];
};

/** One positional parameter. */
export type Param = {
  /** Its name in texts for people. */
  readonly name: string;
  /** The right form; ends every fault's text. */
  readonly want: string;
  readonly role?: ParamRole;
  /** `strict`: only on networks with `strictParams`, as the specification words it. */
  readonly required: boolean | "strict";
  /** The value that is sent to the node where this optional parameter is left out. */
  readonly fallback?: JsonValue;
  /** The same, but only where a later parameter is given: nodes do without it at the end. */
  readonly placeholder?: JsonValue;
  /** A right value as clients write it, to begin with: of plain JSON. Absent where none is right everywhere. */
  readonly example?: ParamExample;
  /** Of an object, for forms; further ones are checked as well. */
  readonly members?: readonly ParamMember[];
  /**
   * The value as it is sent to a node (canonical form); null for an optional one that says nothing.
   * @throws ParamFault with the text of the family's node for this fault
   */
  readonly check: (value: JsonValue, choices: ParamChoices) => JsonValue;
};

/** The part of an answer that may be kept. */
export type CacheRule =
  /** Never the same twice, or a matter of the node itself. */
  | "never"
  /** A constant of the chain, or computed from the params alone. */
  | "constant"
  /** Belongs to the block that a parameter or the answer names. */
  | "block";

export type OwnAnswer =
  | "usage"
  | "subscribe"
  | "unsubscribe"
  | "log filter"
  | "block filter"
  | "pending filter"
  | "filter changes"
  | "filter logs"
  | "remove filter";

/** A method as frozen data; everything that the stages need to know of it stands here. */
export type Definition = {
  readonly method: string;
  readonly params: readonly Param[];
  /** What it answers, for people; begins small and ends without a full stop. */
  readonly result?: string;
  /** Made of `params` once, since each call asks several times. */
  readonly places: ParamPlaces;
  /** Brings a list in another form that nodes take as well to the places of `params`. */
  readonly arrange?: (given: readonly JsonValue[]) => readonly JsonValue[];
  /** Looks at params that are right by themselves. @throws ParamFault with its whole text */
  readonly verify?: (sent: readonly JsonValue[]) => void;
  readonly credits: number;
  /** Served where the network has the group alone. */
  readonly group?: MethodGroup;
  readonly cache: CacheRule;
  /** Whether a node needs the state of the block to answer (pruned nodes cannot). */
  readonly state: boolean;
  /**
   * Where null is an answer (what is not found is null however a node says it): whether it says
   * that there is no such block, or that there is nothing at that place or of that hash.
   */
  readonly lookup?: "block" | "part";
  /** The error where no node has the block and null is no answer: `header not found`, or this. */
  readonly unknownBlock?: "node_error";
  /** The member of the result that names its block, where no parameter does by its number. */
  readonly answerBlock?: "number" | "blockNumber";
  /**
   * The member of the result that repeats what was asked for: the block's number, or the hash that is
   * the first parameter. Only an answer that shows it is kept.
   */
  readonly echoes?: "number" | "blockNumber" | "hash" | "transactionHash" | "blockHash";
  /** The member of the result, of an array in its elements, that is the hash of its block. */
  readonly shows?: "hash" | "blockHash";
  /** The params as nodes take them, where the answer depends on how the client wrote them. */
  readonly forNode?: (args: readonly JsonValue[]) => readonly JsonValue[];
  /** Where the answer says at which slot it is true: the whole result, or its `context.slot`. */
  readonly answerSlot?: "result" | "context";
  readonly shape: CheckingShape;
  /** Answered from the network's head, which has to be known then. */
  readonly needsHead?: boolean;
  /** The result as JSON text where the gateway knows it; undefined asks a node. */
  readonly local?: (params: readonly JsonValue[], network: LocalFacts) => string | undefined;
  /** Answered by the gateway from what it keeps of the caller, or tells it, not of the chain. */
  readonly own?: OwnAnswer;
  /** Where its answer stands in that of another method, which all nodes have. */
  readonly instead?: Instead;
  /** Where the params decide what a method is: its definition for these, or why there is none. */
  readonly kindOf?: (params: JsonValue | undefined) => Definition | RpcError;
};

/** The facts of a network that the gateway knows without asking. */
export type LocalFacts = {
  readonly chainId: number | undefined;
  /** The number of the network's head. */
  readonly head: number | undefined;
};
