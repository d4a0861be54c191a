import { readFileSync } from "node:fs";

/**
 * The numbered list of CONTRIBUTING.md, outermost first. Each line names a layer: one or more folders or
 * files of `src/`, in backticks. A layer may import only layers after its own line, and its own folder.
 */
export const LAYERS: readonly (readonly string[])[] = [
  ...readFileSync("CONTRIBUTING.md", "utf8").matchAll(/^\d+\. (`.+)$/gm),
].map(([, line = ""]) =>
  [...line.matchAll(/`([\w-]+)(?:\/|(\.ts))`/g)].map(([, name, ts = ""]) => `${name}${ts}`),
);

/** The folder or file of `src/` that a path in it belongs to. */
export const partOf = (file: string): string => file.split("/")[0] ?? "";

/** The place of its layer; -1: it has none. */
export const rankOf = (file: string): number =>
  LAYERS.findIndex((layer) => layer.includes(partOf(file)));
