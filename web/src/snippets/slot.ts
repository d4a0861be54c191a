import type { Snippet } from "./snippet.ts";

/** Each prints the newest finalized slot. */
export const SLOT_SNIPPETS: readonly Snippet[] = [
  {
    id: "curl",
    label: "curl",
    family: "slot",
    file: undefined,
    setup: [],
    start: undefined,
    code: `curl -s {url} \\
  -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"getSlot","params":[]}'
`,
  },
  {
    id: "solana-kit",
    label: "@solana/kit",
    family: "slot",
    file: "slot.mjs",
    setup: ["npm install @solana/kit"],
    start: "node slot.mjs",
    code: `import { createSolanaRpc } from "@solana/kit";

const rpc = createSolanaRpc("{url}");

console.log(await rpc.getSlot({ commitment: "finalized" }).send());
`,
  },
];
