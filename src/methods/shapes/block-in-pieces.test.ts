import fc from "fast-check";
import { expect, test } from "vitest";
import { block } from "./block.ts";
import { type ShapeOptions, shapeResult } from "./shape.ts";

const options: ShapeOptions = {
  pending: false,
  pendingBlock: "documented",
  signatures: "node",
  finalTotalDifficulty: "0xc70d815d562d3cfa955",
};

const hex = (bytes: number) => fc.stringMatching(new RegExp(`^0x[0-9a-f]{${bytes * 2}}$`));
const blocks = fc.record(
  {
    difficulty: fc.constantFrom("0x0", "0x20000", "0x00"),
    extraData: fc.oneof(hex(3), fc.constant('say "totalDifficulty": 1'), fc.constant("\\")),
    miner: fc.oneof(hex(20), fc.constant("0xDDDDDDDDDDDDDDDDdddd")),
    totalDifficulty: fc.constantFrom(null, "0x1", "0xc70d815d562d3cfa955"),
    transactions: fc.array(fc.record({ hash: hex(32), input: hex(60) }), { maxLength: 8 }),
  },
  { requiredKeys: ["difficulty", "transactions"] },
);

const cut = (json: Buffer, places: readonly number[]): Buffer[] => {
  const ends = [...new Set(places.map((place) => 1 + (place % (json.length - 1)))), json.length];
  ends.sort((a, b) => a - b);
  return ends.map((end, index) => json.subarray(ends[index - 1] ?? 0, end));
};

test("a block in pieces comes out as the same block in one, wherever it was cut", () => {
  const spaces = fc.constantFrom(undefined, 1);
  const places = fc.array(fc.nat(), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(blocks, spaces, places, (value, space, where) => {
      const json = Buffer.from(JSON.stringify(value, null, space));
      const whole = Buffer.concat(block(json, options));
      const pieces = Buffer.concat(shapeResult(block, cut(json, where), options));
      expect(JSON.parse(pieces.toString())).toEqual(JSON.parse(whole.toString()));
      expect(pieces.length).toBe(whole.length);
    }),
    { numRuns: 2000 },
  );
});

test("a block in pieces that needs nothing put in is passed on without a copy", () => {
  const json = Buffer.from(`{"totalDifficulty":"0x1","x":"${"a".repeat(200)}"}`);
  const pieces = cut(json, [150]);
  expect(shapeResult(block, pieces, options)).toEqual(pieces);
  expect(shapeResult(block, pieces, options)[0]).toBe(pieces[0]);
});
