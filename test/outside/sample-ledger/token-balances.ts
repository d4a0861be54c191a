import { getAddressDecoder } from "@solana/kit";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "./instructions.ts";
import { type Json, JsonNumber } from "./ordered-json.ts";
import type { ReadAccount } from "./svm-accounts.ts";

const TOKEN_PROGRAMS = [TOKEN_PROGRAM.toBase58(), TOKEN_2022_PROGRAM.toBase58()];
/** Of an account: mint, owner, amount, then what does not matter here. Of a mint: decimals at 44. */
const ACCOUNT_LENGTH = 165;
const DECIMALS_AT = 44;

/** What a node records of the token accounts among a transaction's accounts, before or after it. */
export function tokenBalances(keys: readonly string[], read: ReadAccount): Json[] {
  if (!keys.some((key) => TOKEN_PROGRAMS.includes(key))) return [];
  return keys.flatMap((key, accountIndex) => {
    const account = read(key);
    if (account === undefined || !TOKEN_PROGRAMS.includes(account.owner)) return [];
    if (account.data.length < ACCOUNT_LENGTH) return [];
    const { data, owner: programId } = account;
    const mint = addressAt(data, 0);
    const decimals = read(mint)?.data[DECIMALS_AT];
    if (decimals === undefined) return [];
    const amount = new DataView(data.buffer, data.byteOffset).getBigUint64(64, true);
    const uiTokenAmount = amounts(amount, decimals);
    return [{ accountIndex, mint, owner: addressAt(data, 32), programId, uiTokenAmount }];
  });
}

function amounts(amount: bigint, decimals: number): Json {
  const uiAmountString = decimalText(amount, decimals);
  const uiAmount = Number(amount) / 10 ** decimals;
  return {
    amount: amount.toString(),
    decimals,
    // A node gives null for nothing, and the fraction of a whole number too.
    uiAmount: amount === 0n ? null : new JsonNumber(withFraction(uiAmount)),
    uiAmountString,
  };
}

function decimalText(amount: bigint, decimals: number): string {
  if (decimals === 0) return amount.toString();
  const digits = amount.toString().padStart(decimals + 1, "0");
  const fraction = digits.slice(-decimals).replace(/0+$/, "");
  const whole = digits.slice(0, -decimals);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

const withFraction = (value: number): string =>
  Number.isInteger(value) ? `${value}.0` : `${value}`;

const addressAt = (data: Uint8Array, offset: number): string =>
  getAddressDecoder().decode(data.subarray(offset, offset + 32));
