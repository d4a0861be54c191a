import { type Blockhash, getBase58Decoder, getTransactionDecoder } from "@solana/kit";
import {
  type AddressLookupTableAccount,
  type Keypair,
  type PublicKey,
  type TransactionInstruction,
  TransactionMessage,
  type VersionedMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { Clock, LiteSVM } from "litesvm";
import { costUnits } from "./cost-units.ts";
import { executionMeta } from "./execution-meta.ts";
import { type Json, orderedJson } from "./ordered-json.ts";
import { accountReader, credit, type ReadAccount } from "./svm-accounts.ts";
import { tokenBalances } from "./token-balances.ts";

export type Reward = {
  readonly pubkey: PublicKey;
  readonly lamports: bigint;
  readonly rewardType: "Voting" | "Staking";
  readonly commission: number;
};

type Sent = {
  /** The first pays. */
  readonly signers: readonly [Keypair, ...Keypair[]];
  /** Version 0, by these tables (or none); legacy where absent. */
  readonly tables?: readonly AddressLookupTableAccount[];
  readonly instructions: readonly TransactionInstruction[];
};

const FEE_PER_SIGNATURE = 5000n;
const SLOTS_PER_EPOCH = 432_000;
/** Seconds since 1970: 2026-01-01. */
const FIRST_TIME = 1_767_225_600;

/** An SVM that runs transactions, and the blocks that a node would have recorded of them. */
export class SampleChain {
  readonly genesisHash: string;
  /** The texts of getBlock's results at base64, full, with rewards, by their slots. */
  readonly blocks = new Map<number, string>();
  readonly #svm = new LiteSVM();
  readonly #read: ReadAccount;
  readonly #leader: PublicKey;
  readonly #hashes: { slot: bigint; hash: Blockhash }[] = [];
  readonly #firstSlot: number;
  #slot: number;
  #height: number;
  #parentSlot: number;
  #transactions: Json[] = [];
  #fees: { readonly base: bigint; readonly priority: bigint }[] = [];

  constructor(start: {
    readonly slot: number;
    readonly height: number;
    readonly leader: PublicKey;
  }) {
    this.#read = accountReader(this.#svm);
    this.#leader = start.leader;
    this.#firstSlot = start.slot;
    this.#slot = start.slot;
    this.#parentSlot = start.slot - 1;
    this.#height = start.height;
    this.genesisHash = this.#svm.latestBlockhash();
    this.#remember(this.#parentSlot);
    this.#enter();
  }

  get slot(): number {
    return this.#slot;
  }

  /** What a genesis would have given. */
  fund(key: PublicKey, lamports: bigint): void {
    credit(this.#svm, key.toBase58(), lamports);
  }

  rent(bytes: number): number {
    return Number(this.#svm.minimumBalanceForRentExemption(BigInt(bytes)));
  }

  /** The base58 signature of what was signed, run and recorded, whether it failed or not. */
  send({ signers, tables, instructions }: Sent): string {
    const built = new TransactionMessage({
      payerKey: signers[0].publicKey,
      recentBlockhash: this.#svm.latestBlockhash(),
      instructions: [...instructions],
    });
    const message =
      tables === undefined ? built.compileToLegacyMessage() : built.compileToV0Message([...tables]);
    const transaction = new VersionedTransaction(message);
    transaction.sign([...signers]);
    const loaded = accountsOf(message, tables ?? []);
    this.#record(transaction, loaded);
    return getBase58Decoder().decode(transaction.signatures[0] ?? new Uint8Array());
  }

  #record(transaction: VersionedTransaction, { keys, loadedAddresses }: LoadedAccounts): void {
    const { message } = transaction;
    const wire = transaction.serialize();
    const before = this.#balances(keys);
    const read = this.#read;
    const result = this.#svm.sendTransaction(getTransactionDecoder().decode(wire));
    const after = this.#balances(keys);
    // Nothing but the fee ever leaves the accounts of a transaction.
    const fee = total(before.lamports) - total(after.lamports);
    const base = FEE_PER_SIGNATURE * BigInt(message.header.numRequiredSignatures);
    if (fee < base) throw new Error(`slot ${this.#slot}: not run: ${String(result)}`);
    this.#fees.push({ base, priority: fee - base });
    const { meta, units } = executionMeta(result);
    this.#transactions.push({
      meta: {
        ...meta,
        costUnits: costUnits(message, { keys, units, read }),
        fee,
        loadedAddresses,
        postBalances: after.lamports,
        postTokenBalances: after.tokens,
        preBalances: before.lamports,
        preTokenBalances: before.tokens,
        rewards: [],
      },
      transaction: [Buffer.from(wire).toString("base64"), "base64"],
      version: message.version,
    });
  }

  /** Ends the slot with a block; `rewards` come after the leader's own. */
  endBlock(rewards: readonly Reward[] = [], numRewardPartitions?: number): void {
    const previousBlockhash = this.#svm.latestBlockhash();
    const given = [...this.#feeRewards(), ...rewards.map((reward) => this.#give(reward))];
    this.#svm.expireBlockhash();
    const block = {
      blockHeight: this.#height,
      blockTime: this.#time(),
      blockhash: this.#svm.latestBlockhash() as string,
      ...(numRewardPartitions !== undefined && { numRewardPartitions }),
      parentSlot: this.#parentSlot,
      previousBlockhash: previousBlockhash as string,
      rewards: given,
      transactions: this.#transactions,
    };
    this.blocks.set(this.#slot, `${orderedJson(block)}\n`);
    this.#remember(this.#slot);
    this.#transactions = [];
    this.#fees = [];
    this.#parentSlot = this.#slot;
    this.#height += 1;
    this.skip();
  }

  /** Leaves the slot without a block. */
  skip(): void {
    this.#slot += 1;
    this.#enter();
  }

  /** Half of the fees for signatures is burnt, those for priority are the leader's (SIMD-0096). */
  #feeRewards(): Json[] {
    const lamports = total(this.#fees.map(({ base, priority }) => base - base / 2n + priority));
    if (lamports === 0n) return [];
    const pubkey = this.#leader.toBase58();
    const postBalance = credit(this.#svm, pubkey, lamports);
    return [{ commission: null, lamports, postBalance, pubkey, rewardType: "Fee" }];
  }

  #give({ pubkey, lamports, rewardType, commission }: Reward): Json {
    const postBalance = credit(this.#svm, pubkey.toBase58(), lamports);
    return { commission, lamports, postBalance, pubkey: pubkey.toBase58(), rewardType };
  }

  #balances(keys: readonly string[]): { readonly lamports: bigint[]; readonly tokens: Json[] } {
    const lamports = keys.map((key) => this.#read(key)?.lamports ?? 0n);
    return { lamports, tokens: tokenBalances(keys, this.#read) };
  }

  /** Seconds: five slots in two. */
  #time(): number {
    return FIRST_TIME + Math.floor((this.#slot - this.#firstSlot) * 0.4);
  }

  #remember(slot: number): void {
    this.#hashes.unshift({ slot: BigInt(slot), hash: this.#svm.latestBlockhash() });
  }

  #enter(): void {
    const epoch = BigInt(Math.floor(this.#slot / SLOTS_PER_EPOCH));
    const time = BigInt(this.#time());
    this.#svm.setClock(new Clock(BigInt(this.#slot), time, epoch, epoch + 1n, time));
    this.#svm.setSlotHashes(this.#hashes as never);
  }
}

type LoadedAccounts = { readonly keys: readonly string[]; readonly loadedAddresses: Json };

/** Every account of a transaction, in a node's order: its own, then the tables' writable ones first. */
function accountsOf(
  message: VersionedMessage,
  tables: readonly AddressLookupTableAccount[],
): LoadedAccounts {
  const all = message.getAccountKeys({ addressLookupTableAccounts: [...tables] });
  const { writable = [], readonly = [] } = all.accountKeysFromLookups ?? {};
  const loadedAddresses = { readonly: names(readonly), writable: names(writable) };
  return { keys: names(all.keySegments().flat()), loadedAddresses };
}

const names = (keys: readonly PublicKey[]): string[] => keys.map((key) => key.toBase58());
const total = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, one) => sum + one, 0n);
