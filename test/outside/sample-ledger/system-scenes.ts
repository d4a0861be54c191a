import {
  Authorized,
  ComputeBudgetProgram,
  type Keypair,
  LAMPORTS_PER_SOL,
  Lockup,
  type PublicKey,
  StakeProgram,
  SystemProgram,
  type TransactionInstruction,
} from "@solana/web3.js";
import { memo } from "./instructions.ts";
import { ALICE, BOB, CAROL, keyOf, WHALE } from "./people.ts";
import type { SampleChain } from "./sample-chain.ts";

export const pay = (from: Keypair, to: PublicKey, lamports: number): TransactionInstruction =>
  SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports });

/** A transfer alone; then one with a memo, its signers, and a price per compute unit. */
export function transfers(chain: SampleChain): string {
  const signature = chain.send({
    signers: [ALICE],
    instructions: [pay(ALICE, BOB.publicKey, LAMPORTS_PER_SOL / 4)],
  });
  chain.send({
    signers: [BOB, CAROL],
    instructions: [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 120_000 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 25_000 }),
      memo("rent for July, thank you – Bob", [BOB.publicKey, CAROL.publicKey]),
      pay(BOB, CAROL.publicKey, 123_456_789),
    ],
  });
  chain.endBlock();
  return signature;
}

/** Each pays its fee and does nothing else: two of a program, one that the runtime refuses. */
export function failures(chain: SampleChain): void {
  const poor = keyOf("poor");
  chain.send({ signers: [ALICE], instructions: [pay(ALICE, poor.publicKey, 1_000_000)] });
  chain.send({
    signers: [ALICE, poor],
    instructions: [
      pay(ALICE, BOB.publicKey, 1),
      pay(poor, BOB.publicKey, 2 * LAMPORTS_PER_SOL),
      memo("never reached", []),
    ],
  });
  // An account that is there already.
  chain.send({
    signers: [CAROL, BOB],
    instructions: [
      SystemProgram.createAccount({
        fromPubkey: CAROL.publicKey,
        newAccountPubkey: BOB.publicKey,
        lamports: chain.rent(0),
        space: 0,
        programId: SystemProgram.programId,
      }),
    ],
  });
  // Too little for an account to stay.
  chain.send({
    signers: [CAROL],
    instructions: [pay(CAROL, keyOf("not to be").publicKey, 5)],
  });
}

/** Balances, before and after, that a double cannot hold. */
export function hugeAmounts(chain: SampleChain): void {
  chain.send({ signers: [WHALE], instructions: [pay(WHALE, ALICE.publicKey, 2)] });
  chain.endBlock();
}

export function stake(chain: SampleChain): void {
  const stakeAccount = keyOf("stake");
  const authority = CAROL.publicKey;
  const created = StakeProgram.createAccount({
    fromPubkey: CAROL.publicKey,
    stakePubkey: stakeAccount.publicKey,
    authorized: new Authorized(authority, authority),
    lockup: new Lockup(1_900_000_000, 0, authority),
    lamports: chain.rent(200) + 2 * LAMPORTS_PER_SOL,
  });
  chain.send({ signers: [CAROL, stakeAccount], instructions: created.instructions });
  chain.endBlock();
}
