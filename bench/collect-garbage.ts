import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** Collects all garbage of this process now, so that it does not while somebody else is measured. */
export const collectGarbage: () => void = runInNewContext("gc");
