import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { damage } from "./disk-damage.ts";
import { killRound } from "./disk-kills.ts";

const ROUNDS = 400;

test("400 kills, with damage of all kinds between them, never make a wrong byte", async () => {
  const folder = mkdtempSync(join(tmpdir(), "disk-kill-"));
  const kinds = ["flip", "cut", "zeros", "garbage"] as const;
  let damaged = 0;
  try {
    let first = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const result = await killRound(folder, {
        first,
        processes: 1 + (round % 3),
        afterMs: Math.random() * 150,
      });
      expect(result.wrong).toEqual([]);
      expect(result.served).toBeGreaterThan(100);
      damaged += result.damaged;
      first = result.end;
      for (let time = 0; time < 20; time++) {
        const kind = kinds[time % 4] as (typeof kinds)[number];
        damage(folder, { kind, file: Math.random(), at: Math.random() });
      }
    }
    expect(damaged).toBeGreaterThan(ROUNDS / 10);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
