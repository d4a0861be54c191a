import { expect, test } from "vitest";
import { BlockDetails, type BlockDetailsParts } from "./block-details.ts";
import type { ToldBlock } from "./told-block.ts";

const HUGE_BYTES = 64 * 1024 * 1024;
const block = (hash: string): ToldBlock => ({
  ...{ number: 2, hash, parentNumber: 1, parentHash: "", bloom: "", cursor: "", told: "" },
});

/** Details, each larger than all that is kept; `fetch` has a node asked, which tells. */
function hugeDetails() {
  let due = (): void => undefined;
  const parts = {
    nodes: {
      ask: (
        _: unknown,
        read: (result: string) => unknown,
        done: (detail: unknown) => void,
      ): (() => void) => {
        done(read(""));
        return () => undefined;
      },
    },
    later: (run: () => void) => {
      due = run;
    },
    clock: { monotonic: () => 0 },
    told: () => undefined,
  };
  const details = new BlockDetails(
    {
      question: () => ({ method: "", params: "", block: 0 }),
      read: (_, { hash }) => ({ of: hash }),
      sizeOf: () => HUGE_BYTES,
    },
    parts as unknown as BlockDetailsParts,
  );
  const fetch = (of: ToldBlock): void => {
    details.fetch({ block: of, kind: "joins" });
    due();
  };
  return { details, fetch };
}

test("a block that is larger than all that is kept is told of, and one that it took the place of is not given up", () => {
  const { details, fetch } = hugeDetails();
  const [one, other] = [block("one"), block("other")];
  fetch(one);
  expect(details.known(one)).toEqual({ of: "one" });
  fetch(other);
  expect(details.known(other)).toEqual({ of: "other" });
  expect(details.known(one)).toBeUndefined();
  expect(details.isGivenUp(one)).toBe(false);
});
