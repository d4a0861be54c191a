import type { Definition } from "../definition.ts";
import { plain } from "../shapes/shape.ts";

type Particulars = Pick<Definition, "method"> & Partial<Definition>;

/** Every method of a slot network costs as much. */
const CREDITS = 160;

/** A frozen definition: where it says nothing else, a method of no params that is never kept. */
export function read(particulars: Particulars): Definition {
  return Object.freeze({
    credits: CREDITS,
    cache: "never",
    state: false,
    shape: plain,
    // `header not found` is a word of the other family.
    unknownBlock: "node_error",
    ...particulars,
    params: Object.freeze(particulars.params ?? []),
  });
}

/** What nodes clean up after a while: another one may have it still. */
export const historyRead = (particulars: Particulars): Definition =>
  read({ state: true, ...particulars });

/** An answer that says at which slot it was true, in `context.slot`. */
export const contextRead = (particulars: Particulars): Definition =>
  read({ answerSlot: "context", ...particulars });
