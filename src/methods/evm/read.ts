import type { Definition } from "../definition.ts";
import { plain } from "../shapes/shape.ts";

type Particulars = Pick<Definition, "method" | "credits"> & Partial<Definition>;

/** A frozen definition: where it says nothing else, a method of no params that is never kept. */
export function read(particulars: Particulars): Definition {
  return Object.freeze({
    cache: "never",
    state: false,
    shape: plain,
    ...particulars,
    params: Object.freeze(particulars.params ?? []),
  });
}

/** Something that is found or not: null is an answer, and another node may know more. */
export function lookUpRead(particulars: Particulars): Definition {
  return read({ cache: "block", lookup: "part", ...particulars });
}

/** Something that a node computes from the state of a block. */
export function stateRead(particulars: Particulars): Definition {
  return read({ cache: "block", state: true, ...particulars });
}
