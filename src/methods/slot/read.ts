import { define, type Particulars } from "../define.ts";
import type { Definition } from "../definition.ts";

type SlotParticulars = Omit<Particulars, "credits">;

/** Every method of a slot network costs as much. */
const CREDITS = 160;

/** `header not found` is a word of the other family. */
export function read(particulars: SlotParticulars): Definition {
  return define({ credits: CREDITS, unknownBlock: "node_error", ...particulars });
}

/** Reads of a history that nodes clean up after a while: another one may have it still. */
export const historyRead = (particulars: SlotParticulars): Definition =>
  read({ state: true, ...particulars });

/** An answer that says at which slot it was true, in `context.slot`. */
export const contextRead = (particulars: SlotParticulars): Definition =>
  read({ answerSlot: "context", ...particulars });
