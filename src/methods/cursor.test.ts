import fc from "fast-check";
import { expect, test } from "vitest";
import { blockCursor, logCursor, readCursor } from "./cursor.ts";

const hash = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`);
const number = fc.nat({ max: Number.MAX_SAFE_INTEGER });

const cursors = fc.record({
  ...{ block: number, of: hash },
  ...{ log: fc.option(fc.nat()), isRemoving: fc.boolean() },
});

test("a cursor is read as it was made, and fits into a close reason after `behind: `", () => {
  fc.assert(
    fc.property(cursors, ({ block, of, log, isRemoving }) => {
      const whole = blockCursor(block, of);
      const text = log === null ? whole : logCursor(whole, log, isRemoving);
      expect(readCursor(text)).toEqual({
        ...{ number: block, hash: of, logIndex: log ?? undefined },
        isRemoving: log !== null && isRemoving,
      });
      expect(text.length).toBeLessThanOrEqual(117 - 2);
    }),
  );
});

test("a text that no gateway makes is no cursor", () => {
  const right = blockCursor(17, `0x${"ab".repeat(32)}`);
  expect(readCursor(right)).toBeDefined();
  const wrong = ["", "0x", right.slice(1), `${right}.`, `${right}.01`, `${right}.-`, `0${right}`];
  for (const text of [...wrong, right.toUpperCase(), ` ${right}`, `${right}.1.2`, `${right}\n`]) {
    expect(readCursor(text), text).toBeUndefined();
  }
});
