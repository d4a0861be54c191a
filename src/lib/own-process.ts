import { enableCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";

/**
 * What each process of the program does before it loads anything else.
 *
 * V8 (13.6) notes which places of the code make objects that outlive a collection or two, and has
 * the compiler allocate theirs among the old ones. After some slow collections it takes those of
 * each call for such. A call's dead objects then keep all that the next calls make until the next
 * full collection, which the compiler takes for proof. Of equal runs some got into that state, and
 * never out of it: the collector took a third of their time.
 */
export function prepareProcess(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
  // Halves the time to start.
  enableCompileCache();
}
