import {
  type AccountMeta,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
} from "@solana/web3.js";

export const TOKEN_PROGRAM = new PublicKey("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
export const TOKEN_2022_PROGRAM = new PublicKey("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb");
const MEMO_PROGRAM = new PublicKey("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");
const ASSOCIATED_TOKEN_PROGRAM = new PublicKey("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");

const signer = (pubkey: PublicKey): AccountMeta => ({ pubkey, isSigner: true, isWritable: false });
const readonly = (pubkey: PublicKey): AccountMeta => ({
  pubkey,
  isSigner: false,
  isWritable: false,
});
const writable = (pubkey: PublicKey): AccountMeta => ({
  pubkey,
  isSigner: false,
  isWritable: true,
});

const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};

/** `signers` are told in the log. */
export function memo(text: string, signers: readonly PublicKey[]): TransactionInstruction {
  const keys = signers.map(signer);
  return new TransactionInstruction({ programId: MEMO_PROGRAM, keys, data: Buffer.from(text) });
}

export function associatedAddress({ owner, mint, program }: TokenHolder): PublicKey {
  const seeds = [owner.toBuffer(), program.toBuffer(), mint.toBuffer()];
  return PublicKey.findProgramAddressSync(seeds, ASSOCIATED_TOKEN_PROGRAM)[0];
}

export type TokenHolder = {
  readonly owner: PublicKey;
  readonly mint: PublicKey;
  /** The token program or token-2022. */
  readonly program: PublicKey;
};

/** Makes the holder's associated account; nothing happens where it is there. */
export function createAssociated(payer: PublicKey, holder: TokenHolder): TransactionInstruction {
  const { owner, mint, program } = holder;
  const keys = [
    { pubkey: payer, isSigner: true, isWritable: true },
    writable(associatedAddress(holder)),
    ...[owner, mint, SystemProgram.programId, program].map(readonly),
  ];
  const data = Buffer.from([1]);
  return new TransactionInstruction({ programId: ASSOCIATED_TOKEN_PROGRAM, keys, data });
}

type Mint = { readonly mint: PublicKey; readonly program: PublicKey; readonly decimals: number };

/** Its accounts are given and no rent sysvar: the second form. */
export function initializeMint(
  { mint, program, decimals }: Mint,
  authority: PublicKey,
): TransactionInstruction {
  const data = Buffer.concat([Buffer.from([20, decimals]), authority.toBuffer(), Buffer.from([0])]);
  return new TransactionInstruction({ programId: program, keys: [writable(mint)], data });
}

type MintTo = {
  readonly account: PublicKey;
  readonly authority: PublicKey;
  readonly amount: bigint;
};

export function mintTo(
  { mint, program }: Mint,
  { account, authority, amount }: MintTo,
): TransactionInstruction {
  const keys = [writable(mint), writable(account), signer(authority)];
  const data = Buffer.concat([Buffer.from([7]), u64(amount)]);
  return new TransactionInstruction({ programId: program, keys, data });
}

type TokenTransfer = {
  readonly from: PublicKey;
  readonly to: PublicKey;
  readonly owner: PublicKey;
  readonly amount: bigint;
};

export function transferChecked(
  { mint, program, decimals }: Mint,
  { from, to, owner, amount }: TokenTransfer,
): TransactionInstruction {
  const keys = [writable(from), readonly(mint), writable(to), signer(owner)];
  const data = Buffer.concat([Buffer.from([12]), u64(amount), Buffer.from([decimals])]);
  return new TransactionInstruction({ programId: program, keys, data });
}

/** Without the mint and its decimals: what a node cannot give an amount in whole tokens for. */
export function transferUnchecked(
  { program }: Mint,
  { from, to, owner, amount }: TokenTransfer,
): TransactionInstruction {
  const keys = [writable(from), writable(to), signer(owner)];
  const data = Buffer.concat([Buffer.from([3]), u64(amount)]);
  return new TransactionInstruction({ programId: program, keys, data });
}

type TokenAuthority = { readonly account: PublicKey; readonly owner: PublicKey };

export function burnChecked(
  { mint, program, decimals }: Mint,
  { account, owner, amount }: TokenAuthority & { readonly amount: bigint },
): TransactionInstruction {
  const keys = [writable(account), writable(mint), signer(owner)];
  const data = Buffer.concat([Buffer.from([15]), u64(amount), Buffer.from([decimals])]);
  return new TransactionInstruction({ programId: program, keys, data });
}

/** The account's lamports go to its owner. */
export function closeAccount(
  { program }: Mint,
  { account, owner }: TokenAuthority,
): TransactionInstruction {
  const keys = [writable(account), writable(owner), signer(owner)];
  return new TransactionInstruction({ programId: program, keys, data: Buffer.from([9]) });
}

/** Gives the amount in whole tokens as the transaction's return data. */
export function amountToUiAmount({ mint, program }: Mint, amount: bigint): TransactionInstruction {
  const data = Buffer.concat([Buffer.from([23]), u64(amount)]);
  return new TransactionInstruction({ programId: program, keys: [readonly(mint)], data });
}
