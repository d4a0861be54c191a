import { lengthAndBytes, u32, u64 } from "../fields.ts";
import type { Program, Table } from "../table.ts";

const INSTRUCTIONS: Table = {
  tag: u32,
  variants: {
    0: {
      type: "initializeBuffer",
      accounts: ["account"],
      optional: [{ name: "authority", at: 1 }],
    },
    1: {
      type: "write",
      accounts: ["account", "authority"],
      data: [
        ["offset", u32],
        ["bytes", lengthAndBytes],
      ],
    },
    2: {
      type: "deployWithMaxDataLen",
      accounts: [
        "payerAccount",
        "programDataAccount",
        "programAccount",
        "bufferAccount",
        "rentSysvar",
        "clockSysvar",
        "systemProgram",
        "authority",
      ],
      data: [["maxDataLen", u64]],
    },
    3: {
      type: "upgrade",
      accounts: [
        "programDataAccount",
        "programAccount",
        "bufferAccount",
        "spillAccount",
        "rentSysvar",
        "clockSysvar",
        "authority",
      ],
    },
    4: {
      type: "setAuthority",
      accounts: ["account", "authority"],
      optional: [{ name: "newAuthority", at: 2, absent: null }],
    },
    5: {
      type: "close",
      accounts: ["account", "recipient", "authority"],
      optional: [{ name: "programAccount", at: 3, absent: null }],
    },
    6: {
      type: "extendProgram",
      accounts: ["programDataAccount", "programAccount"],
      data: [["additionalBytes", u32]],
      optional: [
        { name: "systemProgram", at: 2, absent: null },
        { name: "payerAccount", at: 3, absent: null },
      ],
    },
    7: { type: "setAuthorityChecked", accounts: ["account", "authority", "newAuthority"] },
    8: { type: "migrate", accounts: ["programDataAccount", "programAccount", "authority"] },
    9: {
      type: "extendProgramChecked",
      accounts: ["programDataAccount", "programAccount", "authority"],
      data: [["additionalBytes", u32]],
      optional: [
        { name: "systemProgram", at: 3, absent: null },
        { name: "payerAccount", at: 4, absent: null },
      ],
    },
  },
};

/** The upgradeable loader: data in bincode. */
export const BPF_UPGRADEABLE_LOADER: Program = {
  name: "bpf-upgradeable-loader",
  tables: [INSTRUCTIONS],
};
