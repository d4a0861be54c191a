import type { DataReader } from "./data-reader.ts";
import { type Fields, key, oneOf, optional, type Read, restList, u16 } from "./fields.ts";

/** The object of a token authority, by the number that stands for it: a mint, or (`true`) an account. */
export const AUTHORITY_TYPES: readonly (readonly [type: string, overAccount: boolean])[] = [
  ["mintTokens", false],
  ["freezeAccount", false],
  ["accountOwner", true],
  ["closeAccount", true],
  ["transferFeeConfig", false],
  ["withheldWithdraw", false],
  ["closeMint", false],
  ["interestRate", false],
  ["permanentDelegate", false],
  ["confidentialTransferMint", false],
  ["transferHookProgramId", false],
  ["confidentialTransferFeeConfig", false],
  ["metadataPointer", false],
  ["groupPointer", false],
  ["groupMemberPointer", false],
  ["scaledUiAmount", false],
  ["pause", false],
];

const EXTENSION_TYPES = [
  "uninitialized",
  "transferFeeConfig",
  "transferFeeAmount",
  "mintCloseAuthority",
  "confidentialTransferMint",
  "confidentialTransferAccount",
  "defaultAccountState",
  "immutableOwner",
  "memoTransfer",
  "nonTransferable",
  "interestBearingConfig",
  "cpiGuard",
  "permanentDelegate",
  "nonTransferableAccount",
  "transferHook",
  "transferHookAccount",
  "confidentialTransferFeeConfig",
  "confidentialTransferFeeAmount",
  "metadataPointer",
  "tokenMetadata",
  "groupPointer",
  "tokenGroup",
  "groupMemberPointer",
  "tokenGroupMember",
  "confidentialMintBurn",
  "scaledUiAmount",
  "pausable",
  "pausableAccount",
];

/** The extensions named by the rest of the data, two bytes each. */
export const extensionTypes: Read = restList(oneOf(EXTENSION_TYPES, u16));

/** The same, left out where there are none. */
export const someExtensionTypes: Read = (data) =>
  data.left > 0 ? extensionTypes(data) : undefined;

/** A new mint: its authority to freeze is left out where it has none. */
export const NEW_MINT: Fields = [
  ["decimals", (data) => data.u8()],
  ["mintAuthority", key],
  ["freezeAuthority", optional(key)],
];

export const tokenAmount: Read = (data) => amountOf(data.u64(), data.u8());

/** An amount, its decimals, and a fee of the same token. */
export function amountAndFee(data: DataReader) {
  const amount = data.u64();
  const decimals = data.u8();
  return { tokenAmount: amountOf(amount, decimals), feeAmount: amountOf(data.u64(), decimals) };
}

/** The powers of ten of a u64; with more decimals there is no `uiAmount`. */
const MOST_DECIMALS = 19;

function amountOf(amount: bigint, decimals: number) {
  return {
    amount: amount.toString(),
    decimals,
    uiAmount: decimals > MOST_DECIMALS ? null : Number(amount) / Number(10n ** BigInt(decimals)),
    uiAmountString: decimalText(amount, decimals),
  };
}

function decimalText(amount: bigint, decimals: number): string {
  if (decimals === 0) return amount.toString();
  const digits = amount.toString().padStart(decimals + 1, "0");
  const fraction = digits.slice(-decimals).replace(/0+$/, "");
  const whole = digits.slice(0, -decimals);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** A float as Rust prints it: the shortest digits that tell it apart, never an exponent. */
export const floatText: Read = (data) => {
  const value = data.f64();
  if (Number.isNaN(value)) return "NaN";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (!Number.isFinite(value)) return `${sign}inf`;
  return sign + plainDigits(Math.abs(value));
};

function plainDigits(value: number): string {
  const [mantissa = "", exponentText = "0"] = String(value).split("e");
  const exponent = Number(exponentText);
  if (exponent === 0) return mantissa;
  const [whole = "", fraction = ""] = mantissa.split(".");
  if (exponent > 0) return whole + fraction.padEnd(exponent, "0");
  return `0.${"0".repeat(-exponent - whole.length)}${whole}${fraction}`;
}
