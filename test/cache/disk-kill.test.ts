import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { killRound } from "./disk-kills.ts";

const ROUNDS = 20;

test("killed at any moment while one or two processes write: it serves what was written, or nothing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "disk-kill-"));
  try {
    let first = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const { served, wrong, end } = await killRound(folder, {
        first,
        processes: round % 4 === 0 ? 2 : 1,
        afterMs: (round * 7) % 40,
      });
      expect(wrong).toEqual([]);
      expect(served).toBeGreaterThan(400);
      first = end;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
