import { join } from "node:path";
import samples from "./sample-ledger/samples.json" with { type: "json" };

/** The ledger of files that `tollgate dev` serves as a slot network. */
export const SAMPLE_LEDGER = join(import.meta.dirname, "sample-ledger");

/** What is worth asking it for: slots, signatures and an account, by what they show. */
export const SLOT_SAMPLES = Object.freeze(samples);
