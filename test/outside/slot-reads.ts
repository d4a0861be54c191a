import {
  address,
  type Base64EncodedWireTransaction,
  blockhash as blockhashOf,
  createSolanaRpc,
  signature as signatureOf,
} from "@solana/kit";
import {
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { openWeb3 } from "./web3js.ts";

/** What the reads are about. */
export type Subjects = {
  readonly owner: string;
  readonly mint: string;
  readonly program: string;
  readonly blockhash: string;
  readonly signature: string;
  /** A transaction's bytes and its message's, base64. */
  readonly wire: string;
};
export type Read = readonly [name: string, ask: () => Promise<unknown>];

const COMMITMENT = { commitment: "processed", minContextSlot: 5 } as const;

/** The reads of kit with everything that they can be told. */
export function kitReads(url: string, subjects: Subjects): Read[] {
  const rpc = createSolanaRpc(url);
  const [owner, mint, program] = [subjects.owner, subjects.mint, subjects.program].map((each) =>
    address(each),
  ) as [ReturnType<typeof address>, ReturnType<typeof address>, ReturnType<typeof address>];
  const signature = signatureOf(subjects.signature);
  const config = { ...COMMITMENT, minContextSlot: 5n };
  const slice = { dataSlice: { offset: 0, length: 8 }, encoding: "base64" } as const;
  const memcmp = { memcmp: { offset: 0n, bytes: owner, encoding: "base58" } } as unknown as never;
  const wire = subjects.wire as Base64EncodedWireTransaction;
  return [
    ["getAccountInfo", () => rpc.getAccountInfo(owner, { ...config, ...slice }).send()],
    ["getAccountInfo", () => rpc.getAccountInfo(owner, { encoding: "jsonParsed" }).send()],
    [
      "getMultipleAccounts",
      () => rpc.getMultipleAccounts([owner, mint], { ...config, ...slice }).send(),
    ],
    ["getBalance", () => rpc.getBalance(owner, config).send()],
    [
      "getProgramAccounts",
      () =>
        rpc
          .getProgramAccounts(program, {
            ...{ ...config, ...slice, withContext: true },
            filters: [{ dataSize: 165n }, memcmp],
          })
          .send(),
    ],
    [
      "getTokenAccountsByOwner",
      () =>
        rpc.getTokenAccountsByOwner(owner, { mint }, { ...config, encoding: "jsonParsed" }).send(),
    ],
    [
      "getTokenAccountsByOwner",
      () =>
        rpc.getTokenAccountsByOwner(owner, { programId: program }, { encoding: "base64" }).send(),
    ],
    ["getTokenAccountBalance", () => rpc.getTokenAccountBalance(mint).send()],
    ["getTokenSupply", () => rpc.getTokenSupply(mint, { commitment: "finalized" }).send()],
    ["getLatestBlockhash", () => rpc.getLatestBlockhash(config).send()],
    [
      "isBlockhashValid",
      () => rpc.isBlockhashValid(blockhashOf(subjects.blockhash), config).send(),
    ],
    ["getFeeForMessage", () => rpc.getFeeForMessage(wire as never, config).send()],
    ["getMinimumBalanceForRentExemption", () => rpc.getMinimumBalanceForRentExemption(165n).send()],
    ["getEpochInfo", () => rpc.getEpochInfo(config).send()],
    ["getHealth", () => rpc.getHealth().send()],
    ["getRecentPrioritizationFees", () => rpc.getRecentPrioritizationFees([owner, mint]).send()],
    [
      "getSignaturesForAddress",
      () =>
        rpc
          .getSignaturesForAddress(owner, {
            ...{ before: signature, until: signature, limit: 10 },
            ...{ commitment: "confirmed", minContextSlot: 5n },
          })
          .send(),
    ],
    [
      "simulateTransaction",
      () =>
        rpc
          .simulateTransaction(wire, {
            ...{ ...config, encoding: "base64", innerInstructions: true },
            ...{ sigVerify: false, replaceRecentBlockhash: true },
            accounts: { addresses: [owner], encoding: "base64" },
          })
          .send(),
    ],
    ["getBlocksWithLimit", () => rpc.getBlocksWithLimit(5n, 3).send()],
    [
      "getSignatureStatuses",
      () => rpc.getSignatureStatuses([signature], { searchTransactionHistory: true }).send(),
    ],
  ];
}

/** The reads of web3.js, those too that it has under several names. */
export function web3Reads(url: string, subjects: Subjects): Read[] {
  const connection = openWeb3(url);
  const [owner, mint, programId] = [subjects.owner, subjects.mint, subjects.program].map(
    (each) => new PublicKey(each),
  ) as [PublicKey, PublicKey, PublicKey];
  const { blockhash, signature } = subjects;
  const slice = { dataSlice: { offset: 0, length: 8 } };
  const filters = [{ dataSize: 165 }, { memcmp: { offset: 0, bytes: subjects.owner } }];
  const payer = Keypair.generate();
  const instruction = SystemProgram.transfer({
    ...{ fromPubkey: payer.publicKey, toPubkey: owner, lamports: 1 },
  });
  const message = new TransactionMessage({
    ...{ payerKey: payer.publicKey, recentBlockhash: blockhash, instructions: [instruction] },
  }).compileToV0Message();
  const legacy = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash });
  legacy.add(instruction);
  return [
    ["getAccountInfo", () => connection.getAccountInfo(owner, { ...COMMITMENT, ...slice })],
    ["getAccountInfo", () => connection.getParsedAccountInfo(owner)],
    ["getMultipleAccounts", () => connection.getMultipleAccountsInfo([owner, mint], COMMITMENT)],
    ["getMultipleAccounts", () => connection.getMultipleParsedAccounts([owner, mint])],
    ["getBalance", () => connection.getBalance(owner, COMMITMENT)],
    ["getProgramAccounts", () => connection.getProgramAccounts(programId, { ...slice, filters })],
    [
      "getProgramAccounts",
      () => connection.getProgramAccounts(programId, { filters, withContext: true }),
    ],
    ["getProgramAccounts", () => connection.getParsedProgramAccounts(programId, { filters })],
    [
      "getTokenAccountsByOwner",
      () => connection.getTokenAccountsByOwner(owner, { mint }, COMMITMENT),
    ],
    [
      "getTokenAccountsByOwner",
      () => connection.getParsedTokenAccountsByOwner(owner, { programId }, "finalized"),
    ],
    ["getTokenAccountBalance", () => connection.getTokenAccountBalance(mint)],
    ["getTokenSupply", () => connection.getTokenSupply(mint)],
    ["getLatestBlockhash", () => connection.getLatestBlockhash(COMMITMENT)],
    ["isBlockhashValid", () => connection.isBlockhashValid(blockhash, COMMITMENT)],
    ["getFeeForMessage", () => connection.getFeeForMessage(message)],
    ["getMinimumBalanceForRentExemption", () => connection.getMinimumBalanceForRentExemption(165)],
    ["getEpochInfo", () => connection.getEpochInfo(COMMITMENT)],
    [
      "getRecentPrioritizationFees",
      () => connection.getRecentPrioritizationFees({ lockedWritableAccounts: [owner] }),
    ],
    ["getRecentPrioritizationFees", () => connection.getRecentPrioritizationFees()],
    [
      "getSignaturesForAddress",
      () => connection.getSignaturesForAddress(owner, { before: signature, limit: 10 }),
    ],
    [
      "simulateTransaction",
      () =>
        connection.simulateTransaction(new VersionedTransaction(message), {
          ...{ replaceRecentBlockhash: true, innerInstructions: true },
          accounts: { encoding: "base64", addresses: [subjects.owner] },
        }),
    ],
    ["simulateTransaction", () => connection.simulateTransaction(legacy, [payer], [owner])],
    [
      "getSignatureStatuses",
      () => connection.getSignatureStatuses([signature], { searchTransactionHistory: true }),
    ],
  ];
}
