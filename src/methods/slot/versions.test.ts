import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonValue, NumberToken } from "../../jsonrpc/value.ts";
import type { CheckingShape } from "../shapes/shape.ts";
import { slotBlock } from "./block-shape.ts";
import { slotTransaction } from "./versions.ts";

const OPTIONS = {
  pending: false,
  pendingBlock: "node",
  signatures: "node",
  finalTotalDifficulty: undefined,
} as const;

/** What the client names; nothing: it reads legacy transactions. */
type Asked = { readonly highest?: number | undefined; readonly details?: string };

/** The text that the client gets, or the error's message. */
function given(shape: CheckingShape, text: string, asked: Asked = {}): string {
  const { highest, details = "full" } = asked;
  const config = new Map<string, JsonValue>([["transactionDetails", details]]);
  if (highest !== undefined) {
    config.set("maxSupportedTransactionVersion", new NumberToken(String(highest)));
  }
  const shaped = shape(Buffer.from(text), OPTIONS, [null, config]);
  if (!("name" in shaped)) return Buffer.concat(shaped).toString();
  expect(shaped).toMatchObject({ name: "upstream_error", code: -32015 });
  return shaped.message ?? "";
}

const unsupported = (version: number) =>
  `Transaction version (${version}) is not supported by the requesting client. Please try the ` +
  `request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`;

const HEAD =
  '{"blockHeight":7,"blockTime":null,"blockhash":"Ab","parentSlot":1,"previousBlockhash":"Cd"';
/** Look like a version and are none. */
const LOOK_ALIKES = [
  '"meta":{"logMessages":["\\"version\\":1","version"],"version":9}',
  '"transaction":{"message":{"instructions":[{"parsed":{"info":{"version":1}}}]}}',
  '"transaction":{"version":{"version":3}}',
  '"note":"{\\"version\\":4}"',
  '"a\\\\\\"version":5',
  '"versions":6',
  '"xversion":7',
];
const VERSIONS = ['"version":"legacy"', '"version" : 0', '"version":1', '"version":12', ""];

/** The rule, on the parsed transactions; JSON text or the error's message. */
function model(entries: readonly string[], highest: number | undefined): string | object[] {
  const parsed = entries.map((entry) => JSON.parse(entry));
  const refused = parsed.find(
    ({ version }) => typeof version === "number" && version > (highest ?? -1),
  );
  if (refused !== undefined) return unsupported(refused.version);
  if (highest === undefined) for (const entry of parsed) delete entry.version;
  return parsed;
}

const entry = fc
  .tuple(
    fc.constantFrom(...VERSIONS),
    fc.uniqueArray(fc.constantFrom(...LOOK_ALIKES), {
      selector: (text) => text.slice(0, 8),
      maxLength: 4,
    }),
    fc.nat(4),
    fc.constantFrom("", " ", "\n"),
  )
  .map(([version, others, place, space]) => {
    const members = others.toSpliced(place, 0, ...(version === "" ? [] : [version]));
    return `{${space}${members.join(`${space},${space}`)}${space}}`;
  });
const highest = fc.constantFrom(undefined, 0, 1, 5, 12, 255);
/** A block of so many bytes is known to be right by its beginning. */
const FILLER = `{"meta":"${"x".repeat(5000)}"}`;

describe("a block's transactions", () => {
  test("follow the rules for versions, whatever else they hold", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 4 }), highest, fc.boolean(), (list, most, large) => {
        const entries = large ? [FILLER, ...list] : list;
        const text = `${HEAD},"transactions":[${entries.join(" ,")}]}`;
        const result = given(slotBlock, text, { highest: most });
        const wanted = model(entries, most);
        if (typeof wanted === "string") expect(result).toBe(wanted);
        else expect(JSON.parse(result).transactions).toEqual(wanted);
        expect(result.startsWith(HEAD)).toBe(typeof wanted !== "string");
      }),
      { numRuns: 2000 },
    );
  });

  test("are not looked at where they were not asked for", () => {
    const text = `${HEAD},"transactions":[{"version":3}]}`;
    for (const details of ["signatures", "none"]) {
      expect(given(slotBlock, text, { details })).toBe(`${HEAD}}`);
    }
    expect(given(slotBlock, text, { details: "accounts" })).toBe(unsupported(3));
  });

  test("alone have a version", () => {
    const text = `${HEAD},"transactions":[{"a":1}],"version":7}`;
    expect(given(slotBlock, text)).toBe(text);
  });

  test.each([
    ['{"meta":1,"transaction":2,"version":"legacy"}', '{"meta":1,"transaction":2}'],
    ['{ "version" : "legacy" , "meta" : 1 }', '{ "meta" : 1 }'],
    ['{"version":null}', "{}"],
    ['{"version":"legacy","a":[],"version":"legacy"}', '{"a":[]}'],
  ])("lose a version that was not asked for, and no other byte: %s", (before, after) => {
    const block = (transaction: string) => `${HEAD},"transactions":[${FILLER},${transaction} ]}`;
    expect(given(slotBlock, block(before))).toBe(block(after));
    expect(given(slotBlock, block(before), { highest: 0 })).toBe(block(before));
  });

  test("of versions that were asked for pass as the bytes that came", () => {
    const json = Buffer.from(`${HEAD},"transactions":[${FILLER},{"version":0}]}`);
    const config = new Map([["maxSupportedTransactionVersion", new NumberToken("0")]]);
    const shaped = slotBlock(json, OPTIONS, [null, config]);
    expect(shaped).toHaveLength(1);
    expect("name" in shaped ? undefined : shaped[0]).toBe(json);
  });
});

describe("a transaction", () => {
  test("follows the rules for versions, whatever else it holds", () => {
    fc.assert(
      fc.property(entry, highest, (text, most) => {
        const result = given(slotTransaction, text, { highest: most });
        const wanted = model([text], most);
        if (typeof wanted === "string") expect(result).toBe(wanted);
        else expect([JSON.parse(result)]).toEqual(wanted);
      }),
      { numRuns: 1000 },
    );
  });

  test("that was not found is null", () => {
    expect(given(slotTransaction, "null")).toBe("null");
  });
});
