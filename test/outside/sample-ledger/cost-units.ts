import { PublicKey, type VersionedMessage } from "@solana/web3.js";
import type { ReadAccount } from "./svm-accounts.ts";

/** Agave's cost model (cost-model/src/block_cost_limits.rs), in compute units. */
const PER_SIGNATURE = 720;
const PER_WRITE_LOCK = 300;
const PER_LOADED_PAGE = 8;
const DATA_BYTES_PER_UNIT = 4;
const PAGE_BYTES = 32 * 1024;
/** What each loaded account, and each table, counts beside its data (SIMD-0186). */
const ACCOUNT_BYTES = 64;
const TABLE_BYTES = 8248;
const UPGRADEABLE_LOADER = "BPFLoaderUpgradeab1e11111111111111111111111";

/** What a block's limits count for a transaction: `costUnits`. */
export function costUnits(
  message: VersionedMessage,
  run: { readonly keys: readonly string[]; readonly units: bigint; readonly read: ReadAccount },
): bigint {
  const writable = run.keys.filter((_, index) => message.isAccountWritable(index)).length;
  const dataBytes = message.compiledInstructions.reduce((sum, { data }) => sum + data.length, 0);
  const pages = Math.ceil(loadedBytes(message, run) / PAGE_BYTES);
  const fixed =
    PER_SIGNATURE * message.header.numRequiredSignatures +
    PER_WRITE_LOCK * writable +
    Math.floor(dataBytes / DATA_BYTES_PER_UNIT) +
    PER_LOADED_PAGE * pages;
  return run.units + BigInt(fixed);
}

function loadedBytes(
  message: VersionedMessage,
  { keys, read }: { readonly keys: readonly string[]; readonly read: ReadAccount },
): number {
  const sizes = keys.map((key) => {
    const account = read(key);
    if (account === undefined) return 0;
    const own = ACCOUNT_BYTES + account.data.length;
    return account.owner === UPGRADEABLE_LOADER ? own + programBytes(account.data, read) : own;
  });
  const tables = message.addressTableLookups.length * TABLE_BYTES;
  return sizes.reduce((sum, size) => sum + size, tables);
}

/** An upgradeable program's own account only names the one that holds its code. */
function programBytes(data: Uint8Array, read: ReadAccount): number {
  const code = read(new PublicKey(data.subarray(4, 36)).toBase58());
  return code === undefined ? 0 : ACCOUNT_BYTES + code.data.length;
}
