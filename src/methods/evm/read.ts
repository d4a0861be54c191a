import type { MethodGroup } from "../../config/method-groups.ts";
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

/** Methods of a group, which all cost as much. */
export const inGroup =
  (group: MethodGroup, credits: number) =>
  (particulars: Omit<Particulars, "credits" | "group">): Definition =>
    read({ group, credits, ...particulars });

/** A look-up of a block's part, which is taken from the whole block where a node has no such method. */
export function partOfBlock(
  particulars: Particulars,
  whole: Pick<Definition, "shape"> & { readonly method: `eth_getBlockBy${"Hash" | "Number"}` },
): Definition {
  const { params = [], credits } = particulars;
  const definition = lookUpRead({ params, credits, lookup: "block", cache: "never", ...whole });
  const instead: Instead = { definition, args: ([reference = null]) => [reference, false] };
  return lookUpRead({ lookup: "block", instead, ...particulars });
}
