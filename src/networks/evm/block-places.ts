import type { Definition, ParamRole } from "../../methods/definition.ts";

/** Where a method's params name blocks; -1: nowhere. */
export type BlockPlaces = {
  readonly block: number;
  /** How many blocks up to that one. */
  readonly count: number;
  readonly blockHash: number;
  readonly filter: number;
  readonly call: number;
  /** Whether the head has to be known to understand them. */
  readonly any: boolean;
};

const PLACES = new Map<Definition, BlockPlaces>();
/** Asked for last: each call asks four times. */
let last: readonly [Definition, BlockPlaces] | undefined;

/** Read from the definition once, not with each call. */
export function blockPlaces(definition: Definition): BlockPlaces {
  if (last?.[0] === definition) return last[1];
  const places = PLACES.get(definition) ?? readPlaces(definition);
  last = [definition, places];
  return places;
}

function readPlaces(definition: Definition): BlockPlaces {
  const at = (role: ParamRole) => definition.params.findIndex((param) => param.role === role);
  const [block, count, blockHash, filter, call] = [
    at("block"),
    at("block-count"),
    at("block-hash"),
    at("filter"),
    at("call"),
  ];
  const any = Math.max(block, filter, call) >= 0;
  const places = { block, count, blockHash, filter, call, any };
  PLACES.set(definition, places);
  return places;
}
