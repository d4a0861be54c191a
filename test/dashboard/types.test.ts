import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("the pages type-check by themselves: what they import of src needs no types of Node", () => {
  const { status, stdout } = spawnSync("npx", ["tsc", "--noEmit", "-p", "web"], {
    encoding: "utf8",
  });
  expect(status, stdout).toBe(0);
}, 60_000);
