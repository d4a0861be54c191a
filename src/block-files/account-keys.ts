import { encodeKey } from "./base58.ts";
import { BlockFilesFault } from "./block-files-fault.ts";
import type { Message } from "./wire.ts";

/** The addresses from lookup tables, as `meta.loadedAddresses` has them: base58. */
export type LoadedAddresses = {
  readonly writable: readonly string[];
  readonly readonly: readonly string[];
};

/** An account of a transaction, as jsonParsed and the `accounts` level show it. */
export type AccountEntry = {
  readonly pubkey: string;
  readonly signer: boolean;
  readonly source: "transaction" | "lookupTable";
  readonly writable: boolean;
};

const UPGRADEABLE_LOADER = "BPFLoaderUpgradeab1e11111111111111111111111";

/** Accounts that no transaction can write to, whatever its header says: agave 3.0 `reserved-account-keys`. */
const RESERVED: ReadonlySet<string> = new Set([
  "AddressLookupTab1e1111111111111111111111111",
  "BPFLoader2111111111111111111111111111111111",
  "BPFLoader1111111111111111111111111111111111",
  UPGRADEABLE_LOADER,
  "ComputeBudget111111111111111111111111111111",
  "Config1111111111111111111111111111111111111",
  "Ed25519SigVerify111111111111111111111111111",
  "Feature111111111111111111111111111111111111",
  "LoaderV411111111111111111111111111111111111",
  "KeccakSecp256k11111111111111111111111111111",
  "Secp256r1SigVerify1111111111111111111111111",
  "StakeConfig11111111111111111111111111111111",
  "Stake11111111111111111111111111111111111111",
  "11111111111111111111111111111111",
  "Vote111111111111111111111111111111111111111",
  "ZkE1Gama1Proof11111111111111111111111111111",
  "ZkTokenProof1111111111111111111111111111111",
  "SysvarC1ock11111111111111111111111111111111",
  "SysvarEpochRewards1111111111111111111111111",
  "SysvarEpochSchedu1e111111111111111111111111",
  "SysvarFees111111111111111111111111111111111",
  "Sysvar1nstructions1111111111111111111111111",
  "SysvarLastRestartS1ot1111111111111111111111",
  "SysvarRecentB1ockHashes11111111111111111111",
  "SysvarRent111111111111111111111111111111111",
  "SysvarRewards111111111111111111111111111111",
  "SysvarS1otHashes111111111111111111111111111",
  "SysvarS1otHistory11111111111111111111111111",
  "SysvarStakeHistory1111111111111111111111111",
  "NativeLoader1111111111111111111111111111111",
  "Sysvar1111111111111111111111111111111111111",
]);

/** The accounts that a message names itself, then what its tables gave: indexes count through both. */
export class AccountKeys {
  readonly all: readonly string[];
  readonly #message: Message;
  readonly #loaded: LoadedAddresses;

  /** @throws BlockFilesFault where the tables gave another number of addresses than was looked up */
  constructor(message: Message, loaded: LoadedAddresses) {
    let writable = 0;
    let readonly = 0;
    for (const lookup of message.addressTableLookups) {
      writable += lookup.writableIndexes.length;
      readonly += lookup.readonlyIndexes.length;
    }
    if (loaded.writable.length !== writable || loaded.readonly.length !== readonly) {
      throw new BlockFilesFault("its meta.loadedAddresses do not fit its addressTableLookups");
    }
    this.#message = message;
    this.#loaded = loaded;
    this.all = [...message.accountKeys.map(encodeKey), ...loaded.writable, ...loaded.readonly];
  }

  /** @throws BlockFilesFault where there is no such account */
  at(index: number): string {
    const key = this.all[index];
    if (key === undefined) {
      throw new BlockFilesFault(`an instruction names account ${index} of ${this.all.length}`);
    }
    return key;
  }

  entries(): AccountEntry[] {
    const { accountKeys, header, instructions } = this.#message;
    const programs = this.all.includes(UPGRADEABLE_LOADER)
      ? new Set<number>()
      : new Set(instructions.map(({ programIdIndex }) => programIdIndex));
    return this.all.map((pubkey, index) => ({
      pubkey,
      signer: index < header.numRequiredSignatures,
      source: index < accountKeys.length ? "transaction" : "lookupTable",
      writable: this.#isRequestedWritable(index) && !RESERVED.has(pubkey) && !programs.has(index),
    }));
  }

  #isRequestedWritable(index: number): boolean {
    const { accountKeys, header } = this.#message;
    const signers = header.numRequiredSignatures;
    if (index >= accountKeys.length) {
      return index - accountKeys.length < this.#loaded.writable.length;
    }
    if (index < signers) return index < signers - header.numReadonlySignedAccounts;
    return index < accountKeys.length - header.numReadonlyUnsignedAccounts;
  }
}
