import { AddressLookupTableAccount, AddressLookupTableProgram } from "@solana/web3.js";
import { memo, transferChecked } from "./instructions.ts";
import { ALICE, BOB, CAROL } from "./people.ts";
import type { SampleChain } from "./sample-chain.ts";
import { pay } from "./system-scenes.ts";
import { accountOf, COIN, mintOf } from "./token-scenes.ts";

/** A block that creates it, a block that fills it; good for use from the next on. */
export function createTable(chain: SampleChain): AddressLookupTableAccount {
  const authority = ALICE.publicKey;
  const recentSlot = chain.slot - 1;
  const [create, key] = AddressLookupTableProgram.createLookupTable({
    authority,
    payer: authority,
    recentSlot,
  });
  chain.send({ signers: [ALICE], instructions: [create] });
  chain.endBlock();
  const addresses = [
    accountOf(COIN, ALICE),
    accountOf(COIN, BOB),
    COIN.key.publicKey,
    CAROL.publicKey,
  ];
  const extend = { lookupTable: key, authority, payer: authority, addresses };
  const instructions = [AddressLookupTableProgram.extendLookupTable(extend)];
  chain.send({ signers: [ALICE], instructions });
  chain.endBlock();
  const known = { deactivationSlot: 2n ** 64n - 1n, lastExtendedSlotStartIndex: 0 };
  const state = { ...known, lastExtendedSlot: chain.slot - 1, authority, addresses };
  return new AddressLookupTableAccount({ key, state });
}

/** Version 0 beside legacy; of its accounts the table gives writable and read-only ones. */
export function useTable(chain: SampleChain, table: AddressLookupTableAccount): string {
  const signature = chain.send({
    signers: [ALICE],
    tables: [table],
    instructions: [pay(ALICE, CAROL.publicKey, 12), transfer(5n), memo("by a table", [])],
  });
  chain.send({ signers: [CAROL], instructions: [pay(CAROL, BOB.publicKey, 42)] });
  chain.endBlock();
  return signature;
}

/** Fails after a part of it ran: only the fee is gone. */
export function failWithTable(chain: SampleChain, table: AddressLookupTableAccount): void {
  const signers = [ALICE] as const;
  const instructions = [pay(ALICE, CAROL.publicKey, 12), transfer(2n ** 60n)];
  chain.send({ signers, tables: [table], instructions });
  chain.endBlock();
}

export function transferByTable(chain: SampleChain, table: AddressLookupTableAccount): void {
  chain.send({ signers: [ALICE], tables: [table], instructions: [transfer(1_000n)] });
}

function transfer(amount: bigint) {
  const [from, to] = [accountOf(COIN, ALICE), accountOf(COIN, BOB)];
  return transferChecked(mintOf(COIN), { from, to, owner: ALICE.publicKey, amount });
}
