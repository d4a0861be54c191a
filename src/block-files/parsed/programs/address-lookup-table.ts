import { key, list, u8, u32, u64 } from "../fields.ts";
import type { Program, Table } from "../table.ts";

const TABLE_AND_AUTHORITY = ["lookupTableAccount", "lookupTableAuthority"];

const INSTRUCTIONS: Table = {
  tag: u32,
  variants: {
    0: {
      type: "createLookupTable",
      accounts: [...TABLE_AND_AUTHORITY, "payerAccount", "systemProgram"],
      data: [
        ["recentSlot", u64],
        ["bumpSeed", u8],
      ],
    },
    1: { type: "freezeLookupTable", accounts: TABLE_AND_AUTHORITY },
    2: {
      type: "extendLookupTable",
      accounts: TABLE_AND_AUTHORITY,
      data: [["newAddresses", list(key)]],
      optional: [
        { name: "payerAccount", at: 2, least: 4 },
        { name: "systemProgram", at: 3 },
      ],
    },
    3: { type: "deactivateLookupTable", accounts: TABLE_AND_AUTHORITY },
    4: { type: "closeLookupTable", accounts: [...TABLE_AND_AUTHORITY, "recipient"] },
  },
};

/** The address lookup table program: data in bincode. */
export const ADDRESS_LOOKUP_TABLE: Program = {
  name: "address-lookup-table",
  tables: [INSTRUCTIONS],
};
