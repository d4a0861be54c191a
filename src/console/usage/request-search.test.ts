import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/written.ts";
import { findRequests, type RequestLine } from "./request-search.ts";

const folder = temporaryFolder("requests");

const lineOf = (over: Partial<RequestLine>): RequestLine => ({
  ...{ time: "2026-11-21T12:00:00.000Z", requestId: "r", account: "acc_1", keyId: "key_1" },
  ...{ network: "mainnet", method: "eth_call", outcome: "ok", credits: 80 },
  ...{ upstream: "geth", durationMs: 1.5, ...over },
});

const aLine = fc.record({
  requestId: fc.constantFrom("r", "rr", "a", 'r"}', "é"),
  account: fc.constantFrom("acc_1", "acc_2"),
  params: fc.constantFrom(["x"], [{ requestId: "r" }], ["y".repeat(80)]),
});

test("each line of the id and the account is found, newest first, wherever the pieces are cut", async () => {
  const path = join(folder, "any.jsonl");
  await fc.assert(
    fc.asyncProperty(
      fc.array(aLine),
      fc.integer({ min: 1, max: 900 }),
      async (some, pieceBytes) => {
        const lines = some.map((over, place) => lineOf({ ...over, credits: place }));
        writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
        for (const account of [undefined, "acc_1"]) {
          for (const requestId of ["r", "é"]) {
            const found = await findRequests(path, { requestId, account }, { pieceBytes });
            const meant = lines.filter((line) => line.requestId === requestId);
            const own = meant.filter((line) => account === undefined || line.account === account);
            expect(found).toEqual({ lines: own.toReversed(), isWhole: true });
          }
        }
      },
    ),
  );
});

test("what lies further back than is read, and more than a hundred lines, is said to be missing", async () => {
  const path = join(folder, "long.jsonl");
  writeFileSync(path, `${JSON.stringify(lineOf({ requestId: "old" }))}\n`);
  const many = Array.from({ length: 101 }, () => `${JSON.stringify(lineOf({}))}\n`);
  appendFileSync(path, many.join(""));
  const old = await findRequests(path, { requestId: "old" }, { mostBytes: 10_000 });
  expect(old).toEqual({ lines: [], isWhole: false });
  expect((await findRequests(path, { requestId: "old" })).lines).toHaveLength(1);
  const batch = await findRequests(path, { requestId: "r" });
  expect([batch.lines.length, batch.isWhole]).toEqual([100, false]);
});

test("a log that is not there has no lines, and a line that is still being written is left out", async () => {
  expect(await findRequests(join(folder, "none.jsonl"), { requestId: "r" })).toEqual({
    ...{ lines: [], isWhole: true },
  });
  const path = join(folder, "begun.jsonl");
  writeFileSync(path, `${JSON.stringify(lineOf({}))}\n${JSON.stringify(lineOf({})).slice(0, 90)}`);
  expect((await findRequests(path, { requestId: "r" })).lines).toHaveLength(1);
});
