import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { MUTATIONS } from "./mutations.ts";

test.each(MUTATIONS)("the code has one place for the fault: $name", async ({ file, from }) => {
  const code = await readFile(path.join(import.meta.dirname, "../../..", file), "utf8");
  expect(code.split(from)).toHaveLength(2);
});
