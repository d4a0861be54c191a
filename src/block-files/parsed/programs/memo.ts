import type { Program } from "../table.ts";

/** The memo programs 1 and 3: all of the data is the text, with or without accounts that sign it. */
export const MEMO: Program = { name: "spl-memo", tables: "text" };
