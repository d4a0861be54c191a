import { base58 } from "@scure/base";

/** What the bytes of a transaction say, addresses in base58. */
export type WireTransaction = {
  readonly signatures: readonly string[];
  readonly version: "legacy" | number;
  readonly header: {
    readonly numRequiredSignatures: number;
    readonly numReadonlySignedAccounts: number;
    readonly numReadonlyUnsignedAccounts: number;
  };
  readonly accountKeys: readonly string[];
  readonly recentBlockhash: string;
  readonly instructions: readonly {
    readonly programIdIndex: number;
    readonly accounts: readonly number[];
    readonly data: string;
  }[];
  readonly addressTableLookups: readonly {
    readonly accountKey: string;
    readonly writableIndexes: readonly number[];
    readonly readonlyIndexes: readonly number[];
  }[];
};

/**
 * The tests' own reading of the wire format, to compare with: no look at bounds, since it reads
 * what a node has taken.
 */
export function readWire(base64: string): WireTransaction {
  const bytes = Buffer.from(base64, "base64");
  let at = 0;
  const byte = () => bytes[at++] ?? 0;
  const text = (size: number) => {
    at += size;
    return base58.encode(bytes.subarray(at - size, at));
  };
  /** Seven bits a byte, the lowest first. */
  const length = (): number => {
    const low = byte();
    return low < 0x80 ? low : (low & 0x7f) + 0x80 * length();
  };
  const list = <Each>(read: () => Each): Each[] => Array.from({ length: length() }, read);

  const signatures = list(() => text(64));
  const isLegacy = (bytes[at] ?? 0) < 0x80;
  const version = isLegacy ? "legacy" : byte() - 0x80;
  return {
    signatures,
    version,
    header: {
      numRequiredSignatures: byte(),
      numReadonlySignedAccounts: byte(),
      numReadonlyUnsignedAccounts: byte(),
    },
    accountKeys: list(() => text(32)),
    recentBlockhash: text(32),
    instructions: list(() => ({
      programIdIndex: byte(),
      accounts: list(byte),
      data: text(length()),
    })),
    addressTableLookups: isLegacy
      ? []
      : list(() => ({
          accountKey: text(32),
          writableIndexes: list(byte),
          readonlyIndexes: list(byte),
        })),
  };
}
