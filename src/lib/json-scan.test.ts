import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memberFinder, scanArray, scanObject } from "./json-scan.ts";
import { skipSpace } from "./json-value.ts";

const bytes = (text: string) => Buffer.from(text, "utf8");
const space = fc.stringMatching(/^[ \t\n\r]{0,3}$/);
const key = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("result", "id", "totalDifficulty", "D", "difficulty", "__proto__", "a\\", '"'),
);
const scalar = fc.oneof(
  fc.constantFrom("null", "true", "false", "-0", "1.0", "9223372036854775808", "1e400", "-2.5E-3"),
  fc.string().map((text) => JSON.stringify(text)),
  fc
    .constantFrom('"\\\\"', '"\\""', '"\\u0022{["', '"]}"', `"${"f".repeat(200)}"`, '"', "é")
    .map((text) => (text.startsWith('"') && text.length > 1 ? text : JSON.stringify(text))),
);

/** JSON text with white space anywhere that the grammar allows it. */
const { value, object } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, scalar, tie("object"), tie("array")),
  object: fc
    .tuple(space, fc.array(fc.tuple(key, tie("value"), space), { maxLength: 6 }))
    .map(([gap, list]) => {
      const members = list.map(([k, v, s]) => `${s}${JSON.stringify(k)}${s}:${gap}${v}${s}`);
      return `{${members.join(",") || gap}}`;
    }),
  array: fc
    .tuple(space, fc.array(tie("value"), { maxLength: 5 }))
    .map(([gap, list]) => `[${list.map((v) => gap + v + gap).join(",") || gap}]`),
}));

describe("scanObject", () => {
  test("gives the keys and values that JSON.parse gives, the last of duplicates", () => {
    fc.assert(
      fc.property(space, object, (gap, text) => {
        const json = bytes(gap + text);
        const scanned = scanObject(json);
        expect(scanned?.end).toBe(json.length);
        const read = new Map(
          scanned?.members.map((member) => [
            member.key,
            JSON.parse(json.toString("utf8", member.valueStart, member.valueEnd)),
          ]),
        );
        expect(read).toEqual(new Map(Object.entries(JSON.parse(text))));
        for (const { key, keyStart } of scanned?.members ?? []) {
          expect(json.toString("utf8", keyStart).startsWith('"'), key).toBe(true);
        }
      }),
    );
  });

  test("of a text cut short anywhere there are no members, never an exception", () => {
    fc.assert(
      fc.property(object, fc.nat(), (text, cut) => {
        const json = bytes(text);
        expect(scanObject(json.subarray(0, cut % json.length))).toBeUndefined();
      }),
    );
  });

  test("no bytes throw", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[{}[\]",:\\a1 ]{0,20}$/)), (text) => {
        const json = bytes(`{${text}`);
        scanObject(json);
        scanArray(json, 1);
        memberFinder("totalDifficulty")(json);
      }),
    );
  });

  test.each(
    [
      ["", "null", "[]", '"{}"', "{", "{]", "{,}", '{"a"}', '{"a":}', '{"a":1,}', '{"a":1 "b":2}'],
      [
        '{"a":01}',
        '{"a":nul}',
        '{"a":1}}'.slice(0, 6),
        '{"a":[1}',
        '{"a":{1]}',
        "{a:1}",
        '{"\\x":1}',
      ],
    ].flat(),
  )("%j is no object", (text) => {
    expect(scanObject(bytes(text))).toBeUndefined();
  });

  test("says where the object ends, so that what follows it can be seen", () => {
    expect(scanObject(bytes('  {"a": 1} x'))).toEqual({
      start: 2,
      end: 10,
      members: [{ key: "a", keyStart: 3, valueStart: 8, valueEnd: 9 }],
    });
  });

  test("nothing that nests too deep is read", () => {
    const nested = (depth: number) => bytes(`{"a":${"[".repeat(depth)}${"]".repeat(depth)},"b":1}`);
    expect(scanObject(nested(500))?.members.map(({ key }) => key)).toEqual(["a", "b"]);
    expect(scanObject(nested(1e5))).toBeUndefined();
  });
});

test("scanArray gives the elements in order", () => {
  fc.assert(
    fc.property(fc.array(value), space, (list, gap) => {
      const json = bytes(`${gap}[${list.map((v) => gap + v).join(",")}${gap}]`);
      expect(
        scanArray(json, 0)?.map(({ start, end }) => json.toString("utf8", start, end)),
      ).toEqual(list);
    }),
  );
});

test("skipSpace stops at the end of the text", () => {
  expect(skipSpace(bytes(" \t\r\n"), 0)).toBe(4);
});

test("skipSpace stops at the first byte that is no white space, however many come before it", () => {
  const space = fc.array(fc.tuple(fc.constantFrom(" ", "\t", "\n", "\r"), fc.nat({ max: 90 })));
  const next = fc.constantFrom("", "a", "\0", "\x1f", "\u00a0", '"');
  fc.assert(
    fc.property(space, next, (runs, after) => {
      const text = runs.map(([byte, count]) => byte.repeat(count)).join("");
      expect(skipSpace(bytes(`${text}${after}   `), 0)).toBe(
        after === "" ? text.length + 3 : text.length,
      );
    }),
    { numRuns: 2000 },
  );
});

describe("memberFinder", () => {
  const find = memberFinder("totalDifficulty");
  const textAt = (text: string) => {
    const json = bytes(text);
    const member = find(json);
    return member && json.toString("utf8", member.valueStart, member.valueEnd);
  };
  const filler = (n: number) => JSON.stringify(Array.from({ length: n }, (_, i) => `0xD${i}`));

  test("finds the member that a walk through the whole finds, and no other", () => {
    for (const name of ["totalDifficulty", "difficulty", "D"]) {
      fc.assert(
        fc.property(value, (text) => {
          const json = bytes(text);
          const all = scanObject(json)?.members.filter((member) => member.key === name) ?? [];
          const found = memberFinder(name)(json);
          if (all.length === 0) expect(found).toBeUndefined();
          else expect(all).toContainEqual(found);
        }),
        { numRuns: 500 },
      );
    }
  });

  test.each([
    ["first", `{"totalDifficulty" : "0x1","t":${filler(50)}}`],
    ["last", `{"t":${filler(50)},"totalDifficulty":\n"0x1" } `],
    ["before the large member", `{"u":[],"totalDifficulty":"0x1","t":${filler(50)},"w":[{}]}`],
    ["after it, before others", `{"u":[],"t":${filler(50)},"totalDifficulty":"0x1","w":[{}]}`],
    ["after a nested one", `{"t":[{"totalDifficulty":"0x2"}],"totalDifficulty":"0x1"}`],
    ["before a nested one", `{"totalDifficulty":"0x1","t":[{"totalDifficulty":"0x2"}]}`],
    ["after a text of its name", `{"a":"totalDifficulty","totalDifficulty":"0x1"}`],
    ["after many capitals", `{"a":"DDDDDDDD","totalDifficulty":"0x1","b":"D"}`],
    ["among escapes", `{"a":"\\"totalDifficulty\\":\\"0x2\\"","totalDifficulty":"0x1"}`],
    ["written with an escape", `{"total\\u0044ifficulty":"0x1"}`],
  ])("finds the key %s", (_, text) => {
    expect(textAt(text)).toBe('"0x1"');
  });

  test.each([
    ["in a nested object", `{"t":[{"totalDifficulty":"0x2"}],"u":${filler(50)}}`],
    ["in a nested object at the end", `{"u":${filler(50)},"t":{"totalDifficulty":"0x2"}}`],
    ["as a text", `{"t":"totalDifficulty"}`],
    ["as an element", `{"t":["totalDifficulty"]}`],
    ["inside a text with escapes", `{"t":"\\"totalDifficulty\\":1"}`],
    ["in an object in an array", `[{"totalDifficulty":"0x2"}]`],
    ["as the first element", `["totalDifficulty",{"totalDifficulty":"0x2"}]`],
    ["in an object in an array, late", `[${filler(9)},{"totalDifficulty":"0x2"}]`],
  ])("a name that stands %s is not the member", (_, text) => {
    expect(textAt(text)).toBeUndefined();
  });
});
