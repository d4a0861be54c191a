import { expect, test } from "vitest";
import type { NetworkOverview } from "../networks/overview.ts";
import { oneOverview, oneReadiness } from "./one-view.ts";

type LastError = NetworkOverview["upstreams"][number]["lastError"];

/** A network as one worker sees it. */
function view(
  head: number | null,
  inFlight: number,
  { state = "ready", lastError = null }: { state?: string; lastError?: LastError } = {},
): NetworkOverview {
  const upstream = {
    ...{ name: "a", role: "primary" as const, state, clientVersion: null, head, lag: 0 },
    ...{ forked: false, inFlight, latencyMs: null, lacks: [], archiveDepth: null, lastError },
  };
  const upstreams = [upstream];
  return { name: "net", family: "evm", chainId: 1, head, headHash: null, upstreams };
}

test("a network is shown as the worker with the highest head sees it, with the calls of all", () => {
  const views = [
    [view(16, 2)],
    [view(17, 3, { state: "limited" })],
    [view(null, 1, { state: "not reached yet" })],
  ];
  expect(oneOverview(views)).toEqual([view(17, 6, { state: "limited" })]);
});

test("the error that any worker saw last is shown, as often as all of them saw it", () => {
  const error = (name: string, second: number, count: number): LastError => ({
    ...{ class: name, message: `${name} ${second}`, count },
    at: new Date(second * 1000).toISOString(),
  });
  const views = [
    [view(17, 0, { lastError: error("unreachable", 5, 2) })],
    [view(16, 0, { lastError: error("unreachable", 7, 3) })],
    [view(16, 0, { lastError: error("timeout", 6, 4) })],
    [view(16, 0)],
  ];
  const [network] = oneOverview(views) ?? [];
  expect(network?.upstreams[0]?.lastError).toEqual({
    ...error("unreachable", 7, 5),
  });
});

test("where no worker answers there is nothing to show", () => {
  expect(oneOverview([])).toBeUndefined();
});

test("ready where one worker is; what keeps the others is told by their numbers", () => {
  const failing = { ready: false, obstacles: ["storage: credits cannot be counted"] };
  expect(
    oneReadiness([
      [1, { ready: true, obstacles: [] }],
      [2, failing],
      [3, undefined],
    ]),
  ).toEqual({
    ready: true,
    obstacles: ["worker 2: storage: credits cannot be counted", "worker 3: does not answer"],
  });
  expect(oneReadiness([[1, failing]]).ready).toBe(false);
  expect(oneReadiness([[1, undefined]]).ready).toBe(false);
});
