import { existsSync, readFileSync } from "node:fs";

/** The processes that this one has started and that still are. Linux tells; elsewhere none are known. */
export function childrenOf(pid: number): readonly number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(file)) return [];
  const text = readFileSync(file, "utf8");
  return text.trim().split(" ").filter(Boolean).map(Number);
}
