import { key, text, u32, u64 } from "../fields.ts";
import type { Program, Table } from "../table.ts";

const INSTRUCTIONS: Table = {
  tag: u32,
  variants: {
    0: {
      type: "createAccount",
      accounts: ["source", "newAccount"],
      data: [
        ["lamports", u64],
        ["space", u64],
        ["owner", key],
      ],
    },
    1: { type: "assign", accounts: ["account"], data: [["owner", key]] },
    2: { type: "transfer", accounts: ["source", "destination"], data: [["lamports", u64]] },
    3: {
      type: "createAccountWithSeed",
      accounts: ["source", "newAccount"],
      data: [
        ["base", key],
        ["seed", text],
        ["lamports", u64],
        ["space", u64],
        ["owner", key],
      ],
    },
    4: {
      type: "advanceNonce",
      accounts: ["nonceAccount", "recentBlockhashesSysvar", "nonceAuthority"],
    },
    5: {
      type: "withdrawFromNonce",
      accounts: [
        "nonceAccount",
        "destination",
        "recentBlockhashesSysvar",
        "rentSysvar",
        "nonceAuthority",
      ],
      data: [["lamports", u64]],
    },
    6: {
      type: "initializeNonce",
      accounts: ["nonceAccount", "recentBlockhashesSysvar", "rentSysvar"],
      data: [["nonceAuthority", key]],
    },
    7: {
      type: "authorizeNonce",
      accounts: ["nonceAccount", "nonceAuthority"],
      data: [["newAuthorized", key]],
    },
    8: { type: "allocate", accounts: ["account"], data: [["space", u64]] },
    9: {
      type: "allocateWithSeed",
      accounts: ["account"],
      least: 2,
      data: [
        ["base", key],
        ["seed", text],
        ["space", u64],
        ["owner", key],
      ],
    },
    10: {
      type: "assignWithSeed",
      accounts: ["account"],
      least: 2,
      data: [
        ["base", key],
        ["seed", text],
        ["owner", key],
      ],
    },
    11: {
      type: "transferWithSeed",
      accounts: ["source", "sourceBase", "destination"],
      data: [
        ["lamports", u64],
        ["sourceSeed", text],
        ["sourceOwner", key],
      ],
    },
    12: { type: "upgradeNonce", accounts: ["nonceAccount"] },
  },
};

/** The system program: data in bincode, where bytes after the last field are no fault. */
export const SYSTEM: Program = { name: "system", tables: [INSTRUCTIONS] };
