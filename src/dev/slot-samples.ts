import { fileURLToPath } from "node:url";
import { ownFile } from "../lib/own-files.ts";
import samples from "./sample-ledger/samples.json" with { type: "json" };

/** The ledger of files that `tollgate dev` serves as a slot network. */
export const SAMPLE_LEDGER = fileURLToPath(ownFile("dev/sample-ledger"));

/** Samples worth asking for: slots, signatures and an account, by what they show. */
export const SLOT_SAMPLES = Object.freeze(samples);
