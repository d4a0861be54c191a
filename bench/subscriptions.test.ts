import { afterEach, expect, test } from "vitest";
import { PROGRAM } from "../test/support/program.ts";
import { StreamRun, streamTable } from "./subscriptions.ts";

const SMALL = { sockets: 4, heads: 3, logs: 5, blocks: 2 };

let run: StreamRun | undefined;
afterEach(() => run?.stop());

test("all subscribers are told, by Tollgate and by the floor, and a block costs its node as much for one as for many", async () => {
  run = new StreamRun({ ...SMALL, program: PROGRAM, cores: null });
  const results = await run.run();
  expect(results.map(({ kind, subject, subscriptions }) => [kind, subject, subscriptions])).toEqual(
    [
      ["newHeads", "tollgate", 12],
      ["newHeads", "ws-floor", 12],
      ["logs", "tollgate", 4],
      ["logs", "ws-floor", 4],
    ],
  );
  for (const { nodeCalls, nodeCallsAlone, p99Ms } of results) {
    expect(nodeCalls).toBe(nodeCallsAlone);
    expect(p99Ms).toBeGreaterThan(0);
  }
  expect(streamTable(results).split("\n")).toHaveLength(6);
});
