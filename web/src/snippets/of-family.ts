import { EVM_SNIPPETS } from "./evm.ts";
import { SLOT_SNIPPETS } from "./slot.ts";
import type { Snippet } from "./snippet.ts";

/** The programs that work with networks of the family. */
export function snippetsOf(family: Snippet["family"]): readonly Snippet[] {
  return family === "evm" ? EVM_SNIPPETS : SLOT_SNIPPETS;
}
