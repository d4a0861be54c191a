import { createHash } from "node:crypto";
import { Keypair } from "@solana/web3.js";

/** The same key for the same name at every run: public, worth nothing anywhere. */
export function keyOf(name: string): Keypair {
  const seed = createHash("sha256").update(`tollgate sample ledger: ${name}`).digest();
  return Keypair.fromSeed(seed);
}

export const LEADER = keyOf("leader");
export const ALICE = keyOf("alice");
export const BOB = keyOf("bob");
export const CAROL = keyOf("carol");
export const WHALE = keyOf("whale");
