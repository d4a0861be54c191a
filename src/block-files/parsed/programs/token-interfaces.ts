import type { DataReader } from "../data-reader.ts";
import { borshText, keyOrNull, oneOf, optional, u8, u64 } from "../fields.ts";
import type { Table } from "../table.ts";

/** The first eight bytes of the SHA-256 of the instruction's name, as in each interface's crate. */
const discriminator = (data: DataReader): string => data.encoded(8, "hex");

/** A field of the metadata: three have a number, all others their own name. */
function metadataField(data: DataReader): string {
  const number = u8(data);
  return number === 3 ? borshText(data) : oneOf(["name", "symbol", "uri"], () => number)(data);
}

const GROUP = {
  "79716c2736330004": {
    type: "initializeTokenGroup",
    accounts: ["group", "mint", "mintAuthority"],
    data: [
      ["updateAuthority", keyOrNull],
      ["maxSize", u64],
    ],
    whole: true,
  },
  "6c25ab8ff81e126e": {
    type: "updateTokenGroupMaxSize",
    accounts: ["group", "updateAuthority"],
    data: [["maxSize", u64]],
    whole: true,
  },
  a1695801edddd8cb: {
    type: "updateTokenGroupAuthority",
    accounts: ["group", "updateAuthority"],
    data: [["newAuthority", keyOrNull]],
    whole: true,
  },
  "9820deb0dfed7486": {
    type: "initializeTokenGroupMember",
    accounts: ["member", "memberMint", "memberMintAuthority", "group", "groupUpdateAuthority"],
    whole: true,
  },
} as const;

const METADATA = {
  d2e11ea258b84d8d: {
    type: "initializeTokenMetadata",
    accounts: ["metadata", "updateAuthority", "mint", "mintAuthority"],
    data: [
      ["name", borshText],
      ["symbol", borshText],
      ["uri", borshText],
    ],
    whole: true,
  },
  dde9312db5cadcc8: {
    type: "updateTokenMetadataField",
    accounts: ["metadata", "updateAuthority"],
    data: [
      ["field", metadataField],
      ["value", borshText],
    ],
    whole: true,
  },
  ea122038598d25b5: {
    type: "removeTokenMetadataKey",
    accounts: ["metadata", "updateAuthority"],
    data: [
      ["idempotent", oneOf([false, true])],
      ["key", borshText],
    ],
    whole: true,
  },
  d7e4a6e45464567b: {
    type: "updateTokenMetadataAuthority",
    accounts: ["metadata", "updateAuthority"],
    data: [["newAuthority", keyOrNull]],
    whole: true,
  },
  faa6b4fa0d0cb846: {
    type: "emitTokenMetadata",
    accounts: ["metadata"],
    data: [
      ["start", optional(u64)],
      ["end", optional(u64)],
    ],
    whole: true,
  },
} as const;

/** The instructions of the token group and token metadata interfaces, which a token program may serve. */
export const INTERFACES: Table = { tag: discriminator, variants: { ...GROUP, ...METADATA } };
