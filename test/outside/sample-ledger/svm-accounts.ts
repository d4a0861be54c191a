import { address, lamports } from "@solana/kit";
import type { LiteSVM } from "litesvm";

export type SeenAccount = {
  readonly owner: string;
  readonly lamports: bigint;
  readonly data: Uint8Array;
};

/** Undefined for an account that is not there. */
export type ReadAccount = (key: string) => SeenAccount | undefined;

export function accountReader(svm: LiteSVM): ReadAccount {
  return (key) => {
    const account = svm.getAccount(address(key));
    if (!account.exists) return undefined;
    const { programAddress, lamports: balance, data } = account;
    return { owner: programAddress, lamports: balance, data: Uint8Array.from(data) };
  };
}

/** Adds lamports from nowhere, as a genesis or a reward does; gives the new balance. */
export function credit(svm: LiteSVM, key: string, amount: bigint): bigint {
  const account = svm.getAccount(address(key));
  const balance = (account.exists ? account.lamports : 0n) + amount;
  const empty = {
    data: new Uint8Array(),
    executable: false,
    programAddress: address("11111111111111111111111111111111"),
    space: 0n,
  };
  const kept = account.exists ? account : { ...empty, address: address(key) };
  svm.setAccount({ ...kept, lamports: lamports(balance) });
  return balance;
}
