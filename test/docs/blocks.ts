import { readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

/** A fenced block of a page. */
export type Block = {
  readonly line: number;
  readonly language: string;
  /** What `<!-- test: … -->` before it says; empty where there is no such comment. */
  readonly how: string;
  readonly text: string;
};

const FENCED =
  /(?:^ *<!-- test: (?<how>.+?) -->\n\n)?^(?<indent> *)```(?<language>\S*)\n(?<text>[\s\S]*?)^ *```$/gm;

export function read(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

/** The fenced blocks of a page, in order, without the indentation of a list around them. */
export function blocksOf(page: string): Block[] {
  return [...page.matchAll(FENCED)].map(({ index, groups = {} }) => {
    const { how = "", indent = "", language = "", text = "" } = groups;
    const start = page.indexOf("```", index);
    const lines = text.split("\n").map((each) => each.replace(indent, ""));
    return {
      line: page.slice(0, start).split("\n").length,
      language,
      how,
      text: lines.join("\n"),
    };
  });
}
