import { expect, test } from "vitest";
import type { TrackedUpstream } from "../tracked-upstream.ts";
import { ChainLinker, type ChainLinkerParts } from "./chain-linker.ts";

test("nodes that all fail at once are asked for a block once each, and again after a while", () => {
  let now = 0;
  const asked: string[] = [];
  const upstreams = ["a", "b", "c"].map((name) => ({
    name,
    ask: (_: unknown, done: (json: string | undefined) => void) => {
      asked.push(name);
      done(undefined);
    },
  })) as unknown as TrackedUpstream[];
  const forks = { missing: () => ({ kind: "parent", hash: "0x1" }), landmarks: () => [] };
  const linker = new ChainLinker({
    ...{ clock: { monotonic: () => now }, upstreams },
    view: {
      forks,
      tipOf: () => ({ number: 5, hash: "0x5" }),
    } as unknown as ChainLinkerParts["view"],
    asked: () => undefined,
    left: () => undefined,
  });
  for (const upstream of upstreams) linker.link(upstream);
  expect(asked).toEqual(["a", "b", "c"]);
  now = 250;
  linker.link(upstreams[1] as TrackedUpstream);
  expect(asked.slice(3)).toEqual(["b", "a", "c"]);
});
