import { type Call, curlLines } from "./curl-lines.ts";
import { SLOT_SAMPLES } from "./slot-samples.ts";

/** What `tollgate dev --examples` prints for the slot network, at its address with a key. */
export function slotExamples(url: string): string[] {
  return [...curlLines(url, groups()), "", "# kit (npm install @solana/kit)", ...kitSnippet(url)];
}

/** Three lines of an ES module that print a block. */
function kitSnippet(url: string): string[] {
  return [
    `import { createSolanaRpc } from "@solana/kit";`,
    `const rpc = createSolanaRpc("${url}");`,
    `console.log(await rpc.getBlock(${SLOT_SAMPLES.versionedSlot}n, { maxSupportedTransactionVersion: 0 }).send());`,
  ];
}

function groups(): (readonly [comment: string, ...calls: Call[]])[] {
  const { legacySlot, versionedSlot, tokenSlot, skippedSlot, rewardsSlot } = SLOT_SAMPLES;
  const { versionedSignature } = SLOT_SAMPLES;
  const versioned = { maxSupportedTransactionVersion: 0 };
  return [
    ["The newest finalized slot", ["getSlot", []]],
    [
      "Blocks: one with legacy transactions, one of version 0, a skipped slot (null)",
      ["getBlock", [legacySlot]],
      ["getBlock", [versionedSlot, versioned]],
      ["getBlock", [skippedSlot]],
    ],
    [
      "Token instructions parsed; the accounts alone; the signatures alone; the rewards alone",
      ["getBlock", [tokenSlot, { ...versioned, encoding: "jsonParsed" }]],
      ["getBlock", [tokenSlot, { ...versioned, transactionDetails: "accounts" }]],
      ["getBlock", [tokenSlot, { transactionDetails: "signatures" }]],
      ["getBlock", [rewardsSlot, { transactionDetails: "none", rewards: true }]],
    ],
    ["A version that was not asked for is an error", ["getBlock", [versionedSlot]]],
    [
      "One transaction",
      ["getTransaction", [versionedSignature, { ...versioned, encoding: "jsonParsed" }]],
    ],
  ];
}
