import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonValue, NumberToken } from "../../jsonrpc/value.ts";
import { slotBlock } from "./block-shape.ts";

const FIXTURES = "test/fixtures/slot";
const NO_PARENT = "1".repeat(32);
const DETAILS = ["full", "accounts", "signatures", "none"] as const;
const OPTIONS = {
  pending: false,
  pendingBlock: "documented",
  signatures: "node",
  finalTotalDifficulty: undefined,
} as const;

type Asked = { readonly details: (typeof DETAILS)[number]; readonly rewards: boolean };
const ALL: readonly Asked[] = DETAILS.flatMap((details) =>
  [true, false].map((rewards) => ({ details, rewards })),
);

const argsOf = ({ details, rewards }: Asked): JsonValue[] => [
  null,
  new Map<string, JsonValue>([
    // Every version: versions.test.ts has the others.
    ["maxSupportedTransactionVersion", new NumberToken("255")],
    ["rewards", rewards],
    ["transactionDetails", details],
  ]),
];
function pieces(json: Buffer, asked: Asked): readonly Buffer[] {
  const shaped = slotBlock(json, OPTIONS, argsOf(asked));
  if ("name" in shaped) throw new Error(shaped.message);
  return shaped;
}
const shaped = (text: string, asked: Asked): string =>
  Buffer.concat(pieces(Buffer.from(text), asked)).toString();

/** The specification's rules, on the parsed block. */
function model(block: Record<string, unknown>, { details, rewards }: Asked): object {
  const wanted: Record<string, boolean> = {
    rewards,
    numRewardPartitions: rewards,
    transactions: details === "full" || details === "accounts",
    signatures: details === "signatures",
  };
  const kept = Object.entries(block).filter(([key]) => wanted[key] ?? true);
  const { previousBlockhash: parent = null } = block;
  const isMissing = parent === null || parent === "";
  return { ...Object.fromEntries(kept), previousBlockhash: isMissing ? NO_PARENT : parent };
}

const HEAD =
  '{"blockHeight":7,"blockTime":null,"blockhash":"Ab","parentSlot":1,"previousBlockhash":"Cd"';
const LONG = `[${Array.from({ length: 200 }, (_, n) => `{"meta":{"rewards":null},"n":${n}}`)}]`;
const full = { details: "full", rewards: false } as const;

describe("a block of a slot network", () => {
  test.each([
    [`${HEAD},"transactions":${LONG}}`, full],
    [`${HEAD},"rewards":[{"lamports":1}],"transactions":${LONG}}`, { ...full, rewards: true }],
    [`${HEAD},"rewards":[],"transactions":${LONG}}`, { ...full, rewards: true }],
    [`${HEAD},"signatures":["a"]}`, { details: "signatures", rewards: false }],
    [`${HEAD}}`, { details: "none", rewards: false }],
    ["null", full],
    [" null ", full],
    ["[]", full],
    ["{", full],
    ["", full],
  ] as const)("that is as asked for passes as the bytes that came: %.90s", (text, asked) => {
    const json = Buffer.from(text);
    const result = pieces(json, asked);
    expect(result).toHaveLength(1);
    expect(result[0]).toBe(json);
  });

  test("loses what was not asked for, wherever it stands, and nothing else of its bytes", () => {
    expect(shaped(`${HEAD},"rewards":[1],"transactions":[2] , "z":1.0}`, full)).toBe(
      `${HEAD},"transactions":[2] , "z":1.0}`,
    );
    expect(shaped(`${HEAD},"numRewardPartitions":3,"transactions":${LONG}}`, full)).toBe(
      `${HEAD},"transactions":${LONG}}`,
    );
    expect(
      shaped('{"signatures":[],"previousBlockhash":"C","transactions":[],"rewards":[]}', {
        details: "none",
        rewards: false,
      }),
    ).toBe('{"previousBlockhash":"C"}');
    expect(shaped('{ "transactions" : [] , "rewards" : [] }', { ...full, details: "none" })).toBe(
      `{"previousBlockhash":"${NO_PARENT}"  }`,
    );
    // What was asked for stays behind the transactions, in an order that is not agave's.
    const other = `{"blockhash":"A","transactions":${LONG},"rewards":[1],"previousBlockhash":"C"}`;
    expect(shaped(other, full)).toBe(other.replace(',"rewards":[1]', ""));
  });

  test.each(['"previousBlockhash":"",', '"previousBlockhash":null,', ""])(
    "has 32 characters 1 for a parent that is not there: %j",
    (parent) => {
      const text = shaped(`{"blockhash":"A",${parent}"transactions":[1]}`, full);
      expect(JSON.parse(text)).toEqual(
        model({ blockhash: "A", previousBlockhash: "", transactions: [1] }, full),
      );
      const large = `{"blockHeight":1,"blockTime":1,"blockhash":"A","parentSlot":1,${parent}"transactions":${LONG}}`;
      expect(JSON.parse(shaped(large, full)).previousBlockhash).toBe(NO_PARENT);
    },
  );

  test("a transaction's rewards and signatures are its own", () => {
    const entry = '{"meta":{"rewards":[1],"previousBlockhash":""},"transaction":{"signatures":[]}}';
    const text = `${HEAD},"transactions":[${entry}]}`;
    expect(shaped(text, full)).toBe(text);
  });

  const member = fc.tuple(
    fc.oneof(
      fc.constantFrom(
        ..."blockHeight blockTime blockhash numRewardPartitions parentSlot previousBlockhash".split(
          " ",
        ),
        ..."rewards signatures transactions".split(" "),
      ),
      fc.string(),
    ),
    fc.oneof(fc.json(), fc.constantFrom('""', "null", "18446744073709551615", "1.0", "[]", LONG)),
  );
  const members = fc.uniqueArray(member, { selector: ([key]) => key });
  const space = fc.constantFrom("", " ", "\n");

  test("of any members is what JSON.parse and the rules make of it, and twice changes no more", () => {
    fc.assert(
      fc.property(members, space, fc.constantFrom(...ALL), (list, between, asked) => {
        const parts = list.map(([key, value]) => `${JSON.stringify(key)}${between}:${value}`);
        const text = `{${between}${parts.join(`,${between}`)}${between}}`;
        const result = shaped(text, asked);
        expect(JSON.parse(result)).toEqual(model(JSON.parse(text), asked));
        expect(shaped(result, asked)).toBe(result);
      }),
      { numRuns: 2000 },
    );
  });

  test("of agave's order, large, is what the rules make of it", () => {
    const present = fc.subarray(["numRewardPartitions", "rewards", "signatures", "transactions"]);
    const parent = fc.constantFrom('"Ab"', '""', "null");
    fc.assert(
      fc.property(present, parent, fc.constantFrom(...ALL), (keys, hash, asked) => {
        const values = new Map([
          ["blockHeight", "1"],
          ["blockTime", "null"],
          ["blockhash", '"A"'],
          ["parentSlot", "18446744073709551615"],
          ["previousBlockhash", hash],
        ]);
        for (const key of keys) values.set(key, key === "numRewardPartitions" ? "2" : LONG);
        const sorted = [...values].toSorted(([a], [b]) => (a < b ? -1 : 1));
        const text = `{${sorted.map(([key, value]) => `"${key}":${value}`)}}`;
        const result = shaped(text, asked);
        expect(JSON.parse(result)).toEqual(model(JSON.parse(text), asked));
        if (result === text) expect(pieces(Buffer.from(text), asked)).toHaveLength(1);
      }),
      { numRuns: 500 },
    );
  });
});

describe("recorded blocks (test/fixtures/slot)", () => {
  const agave = readFileSync(`${FIXTURES}/agave.jsonl`, "utf8").trim().split("\n");
  const results = agave.flatMap((line) => {
    const { request, responseText } = JSON.parse(line);
    if (request?.method !== "getBlock") return [];
    // The result's own bytes, as read-answer.ts finds them.
    const text = /^\{"jsonrpc":"2.0","result":(.*),"id":\d+\}\n?$/s.exec(responseText)?.[1];
    return text === undefined ? [] : [{ text, config: request.params[1] ?? {} }];
  });

  test("of agave, asked as they are asked now, pass as the bytes that came", () => {
    const exact = results.filter(({ config }) => config.rewards !== undefined);
    expect(exact.length).toBeGreaterThan(150);
    for (const { text, config } of exact) {
      const json = Buffer.from(text);
      const asked = { details: config.transactionDetails ?? "full", rewards: config.rewards };
      const result = pieces(json, asked);
      expect(result[0]).toBe(json);
      expect(result).toHaveLength(1);
    }
  });

  test("of agave, asked in every way, follow the rules", () => {
    for (const { text } of results) {
      for (const asked of ALL) {
        expect(JSON.parse(shaped(text, asked))).toEqual(model(JSON.parse(text), asked));
      }
    }
  });

  test("of other nodes and times follow the rules", () => {
    const names = readdirSync(FIXTURES);
    const files = names.filter((name) => /^(?:slot|mainnet|chainstorage)-.*\.json$/.test(name));
    expect(files.length).toBeGreaterThan(6);
    for (const name of files) {
      const parsed = JSON.parse(readFileSync(`${FIXTURES}/${name}`, "utf8"));
      const block = parsed.result ?? parsed;
      for (const asked of ALL) {
        for (const text of [JSON.stringify(block), JSON.stringify(block, null, 1)]) {
          expect(JSON.parse(shaped(text, asked)), name).toEqual(model(block, asked));
        }
      }
    }
  });
});
