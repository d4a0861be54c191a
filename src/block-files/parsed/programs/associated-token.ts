import type { DataReader } from "../data-reader.ts";
import type { Program, Table } from "../table.ts";

const CREATED = ["source", "account", "wallet", "mint", "systemProgram", "tokenProgram"];

const INSTRUCTIONS: Table = {
  // The program's first version had one instruction and no data.
  tag: (data: DataReader) => (data.left === 0 ? 0 : data.u8()),
  variants: {
    0: { type: "create", accounts: CREATED, whole: true },
    1: { type: "createIdempotent", accounts: CREATED, whole: true },
    2: {
      type: "recoverNested",
      accounts: [
        "nestedSource",
        "nestedMint",
        "destination",
        "nestedOwner",
        "ownerMint",
        "wallet",
        "tokenProgram",
      ],
      whole: true,
    },
  },
};

/** The associated token account program: data in borsh, which leaves no bytes over. */
export const ASSOCIATED_TOKEN: Program = {
  name: "spl-associated-token-account",
  tables: [INSTRUCTIONS],
};
