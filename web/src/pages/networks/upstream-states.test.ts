import { expect, test } from "vitest";
import type { UpstreamView } from "../../../../src/console/contract/operator-networks.ts";
import { describeArchive, describeState, formatRate, isLastReady } from "./upstream-states.ts";

function upstream(name: string, state: string): UpstreamView {
  return {
    ...{ name, state, role: "primary", clientVersion: null, head: null, lag: null },
    ...{
      forked: false,
      inFlight: 0,
      latencyMs: null,
      lacks: [],
      archiveDepth: null,
      lastError: null,
    },
    traffic: null,
  };
}

test("an upstream is the last one where no other is ready", () => {
  const both = [upstream("a", "ready"), upstream("b", "breaker open")];
  expect(isLastReady(both, "a")).toBe(true);
  expect(isLastReady([...both, upstream("c", "ready")], "a")).toBe(false);
});

test("a state that is not known is shown as something to look at", () => {
  expect(describeState("ready").tone).toBe("ok");
  expect(describeState("of a later version").tone).toBe("warn");
});

test("small rates are not rounded to nothing", () => {
  expect([0, 0.04, 0.25, 12.34, 132.4].map(formatRate)).toEqual([
    ...["0", "<0.1", "0.3", "12.3", "132"],
  ]);
});

test("an archive depth is said in words", () => {
  expect(describeArchive("all")).toBe("all");
  expect(describeArchive(1024)).toBe("1,024 blocks");
  expect(describeArchive(null)).toBe("–");
});
