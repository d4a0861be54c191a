import { lengthAndBytes, u32 } from "../fields.ts";
import type { Program, Table } from "../table.ts";

const INSTRUCTIONS: Table = {
  tag: u32,
  variants: {
    0: {
      type: "write",
      accounts: ["account"],
      data: [
        ["offset", u32],
        ["bytes", lengthAndBytes],
      ],
    },
    1: { type: "finalize", accounts: ["account"], least: 2 },
  },
};

/** The second loader: data in bincode. */
export const BPF_LOADER: Program = { name: "bpf-loader", tables: [INSTRUCTIONS] };
