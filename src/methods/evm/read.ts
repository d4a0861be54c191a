import { define, type Particulars } from "../define.ts";
import type { Definition, Instead } from "../definition.ts";

/** Reads that depend on the node or the moment, and are never kept. */
export const read = define;

/** Something that is found or not: null is an answer, and another node may know more. */
export function lookUpRead(particulars: Particulars): Definition {
  return read({ cache: "block", lookup: "part", ...particulars });
}

/** Something that a node computes from the state of a block. */
export function stateRead(particulars: Particulars): Definition {
  return read({ cache: "block", state: true, ...particulars });
}

/** Where nodes have no such method: the part of the block that it asks for. `params`: the block's reference. */
export function fromBlock(
  method: "eth_getBlockByHash" | "eth_getBlockByNumber",
  particulars: Pick<Definition, "params" | "credits" | "shape">,
): Instead {
  const definition = lookUpRead({ method, lookup: "block", cache: "never", ...particulars });
  return { definition, args: ([reference = null]) => [reference, false] };
}
