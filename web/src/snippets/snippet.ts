/** A program to paste, as data: `{url}` stands where a network's address with a key belongs. */
export type Snippet = {
  readonly id: string;
  /** What people call the tool. */
  readonly label: string;
  readonly family: "evm" | "slot";
  /** What the file would be called; of a shell's line, nothing. */
  readonly file: string | undefined;
  /** What to run before (once) and to start it. */
  readonly setup: readonly string[];
  readonly start: string | undefined;
  readonly code: string;
};

/** The program for a network's address and key. */
export function fillSnippet(snippet: Snippet, url: string): string {
  return snippet.code.replaceAll("{url}", url);
}
