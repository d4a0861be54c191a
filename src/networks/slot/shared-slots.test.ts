import { closeSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { VirtualTime } from "../../../test/simulation/virtual-time.ts";
import { sharedMonotonic } from "../../lib/clock.ts";
import { boardBytes, openBoardFile, SharedBoard } from "../../lib/shared-board.ts";
import type { TrackedUpstream } from "../tracked-upstream.ts";
import { SharedSlots, type SlotClaim } from "./shared-slots.ts";
import { SlotHeads } from "./slot-heads.ts";

const WORKERS = 2;

let fd: number;
let time: VirtualTime;
beforeEach(() => {
  fd = openBoardFile(boardBytes(WORKERS));
  time = new VirtualTime();
});
afterEach(() => closeSync(fd));

function workerOf(own: number) {
  const upstream = {
    ...{ name: "a", role: "primary", index: 0, drained: false, chain: "right", head: -1 },
    breaker: { state: "closed" },
  } as unknown as TrackedUpstream;
  const changed = () => shared?.changed();
  const parts = { clock: time.clock, timers: time, upstreams: [upstream], changed };
  const heads = new SlotHeads(1, parts);
  const board = new SharedBoard<SlotClaim>({
    fd,
    begin: 0,
    processes: WORKERS,
    own,
    now: sharedMonotonic,
  });
  const shared: SharedSlots | undefined = new SharedSlots(board, heads);
  const told = (confirmed: number) => {
    heads.told(upstream, { processed: confirmed + 2, confirmed, finalized: confirmed - 30 }, true);
  };
  const seen = () => {
    shared.catchUp();
    return heads.heads;
  };
  return { heads, told, seen };
}

test("a slot that one worker knows is known to the other one as soon as that looks", () => {
  const [first, second] = [workerOf(0), workerOf(1)];
  first.told(100);
  second.told(98);
  expect(second.seen()).toEqual({ processed: 102, confirmed: 100, finalized: 70 });
  second.told(101);
  expect(first.seen().confirmed).toBe(101);
});

test("a head that fell back in one worker falls back in the other one, and does not come up again by it", async () => {
  const [first, second] = [workerOf(0), workerOf(1)];
  first.told(100);
  second.told(100);
  first.told(90);
  expect(first.seen().confirmed).toBe(100);
  await time.run(time.nowMs + 31_000, () => {});
  first.told(91);
  expect(first.seen().confirmed).toBe(91);
  expect(second.seen().confirmed).toBe(91);
  expect(first.seen().confirmed).toBe(91);
  second.told(92);
  expect(first.seen().confirmed).toBe(92);
});
