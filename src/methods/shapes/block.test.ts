import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scanObject } from "../../lib/json-scan.ts";
import { block } from "./block.ts";
import type { ShapeOptions } from "./shape.ts";

const FINAL = "0xc70d815d562d3cfa955";
const OPTIONS: ShapeOptions = {
  pending: false,
  pendingBlock: "documented",
  signatures: "node",
  finalTotalDifficulty: FINAL,
};
const shaped = (text: string, options: Partial<ShapeOptions> = {}) =>
  Buffer.concat(block(Buffer.from(text), { ...OPTIONS, ...options }, [])).toString();

describe("totalDifficulty", () => {
  test("where the node leaves it out after the merge, it is the network's final one", () => {
    expect(shaped('{"difficulty":"0x0","number":"0x1"}')).toBe(
      `{"totalDifficulty":"${FINAL}","difficulty":"0x0","number":"0x1"}`,
    );
    expect(shaped('{\n  "difficulty": "0x0"\n}\n')).toBe(
      `{"totalDifficulty":"${FINAL}",\n  "difficulty": "0x0"\n}\n`,
    );
    expect(shaped('{"difficulty":"0x0","totalDifficulty" : null}')).toBe(
      `{"difficulty":"0x0","totalDifficulty" : "${FINAL}"}`,
    );
  });

  test("it is null before the merge, and where the network has no final one", () => {
    expect(shaped('{"difficulty":"0x20000"}')).toBe(
      '{"totalDifficulty":null,"difficulty":"0x20000"}',
    );
    expect(shaped('{"difficulty":"0x0"}', { finalTotalDifficulty: undefined })).toBe(
      '{"totalDifficulty":null,"difficulty":"0x0"}',
    );
    expect(shaped("{}")).toBe('{"totalDifficulty":null}');
  });

  test("a transaction's difficulty, or a text that looks like a member, is not the block's", () => {
    expect(shaped('{"transactions":[{"difficulty":"0x0","totalDifficulty":"0x1"}]}')).toBe(
      '{"totalDifficulty":null,"transactions":[{"difficulty":"0x0","totalDifficulty":"0x1"}]}',
    );
    const note = '"note":"\\"totalDifficulty\\":\\"0x1\\""';
    expect(shaped(`{${note},"difficulty":"0x0"}`)).toBe(
      `{"totalDifficulty":"${FINAL}",${note},"difficulty":"0x0"}`,
    );
  });

  test.each([
    '{"difficulty":"0x0","totalDifficulty":"0x0"}',
    '{"totalDifficulty":"0x5","difficulty":"0x2"}',
    '{"difficulty":"0x2","totalDifficulty":null}',
    "null",
    " null ",
    '"0x1"',
    "[]",
    "1",
    "",
  ])("%j is passed as the bytes that came", (text) => {
    const json = Buffer.from(text);
    const result = block(json, OPTIONS, []);
    expect(result).toHaveLength(1);
    expect(result[0]).toBe(json);
  });

  test("what stays is not copied", () => {
    const json = Buffer.from('{"difficulty":"0x0","transactions":[]}');
    const [before, , after] = block(json, OPTIONS, []);
    expect(before?.buffer).toBe(json.buffer);
    expect(after?.buffer).toBe(json.buffer);
  });
});

describe("the pending block", () => {
  const node =
    '{"hash":"0x1","number":"0xb","nonce":null,"totalDifficulty":"0x0","gas":9223372036854775808,' +
    '"transactions":["0x7",{"blockHash":"0x5","blockNumber":"0xb","hash":"0x7","value":1.0}]}';

  test("has null where the specification says so, and every other byte as it came", () => {
    expect(shaped(node, { pending: true })).toBe(
      '{"logsBloom":null,"hash":null,"number":null,"nonce":null,"totalDifficulty":"0x0",' +
        '"gas":9223372036854775808,"transactions":["0x7",' +
        '{"transactionIndex":null,"blockHash":null,"blockNumber":null,"hash":"0x7","value":1.0}]}',
    );
  });

  test("has the node's shape where the network says so, and totalDifficulty all the same", () => {
    expect(shaped(node, { pending: true, pendingBlock: "node" })).toBe(node);
    expect(shaped('{"number":"0x1"}', { pending: true, pendingBlock: "node" })).toBe(
      '{"totalDifficulty":null,"number":"0x1"}',
    );
  });
});

test("signatures of a block's full transactions are padded, authorizations are left alone", () => {
  const word = (digits: string) => `"0x${digits.padStart(64, "0")}"`;
  const signed = (r: string, s: string) =>
    `{"totalDifficulty":"0x1","r":"0x9","transactions":[{"r":${r},` +
    `"authorizationList":[{"r":"0x3","s":"0x4"}],"s":${s}}],"uncles":["0x1"]}`;
  expect(shaped(signed('"0x1"', '"0x2"'), { signatures: "padded" })).toBe(
    signed(word("1"), word("2")),
  );
});

describe("for any object", () => {
  const names = [
    "hash",
    "nonce",
    "logsBloom",
    "number",
    "totalDifficulty",
    "transactions",
  ] as const;
  const places = ["blockHash", "blockNumber", "transactionIndex", "r", "s", "input"] as const;
  const text = fc.oneof(
    fc.json(),
    fc.bigInt().map(String),
    fc.constantFrom('"0x0"', '"0x1"', "null", "1.0", "9223372036854775808"),
  );
  const objectOf = (known: readonly string[], values: fc.Arbitrary<string>) =>
    fc
      .uniqueArray(fc.tuple(fc.oneof(fc.constantFrom(...known), fc.string()), values), {
        selector: ([key]) => key,
      })
      .map((list) => `{${list.map(([k, v]) => ` ${JSON.stringify(k)} :${v}`).join(" ,")}}`);
  const list = fc.array(fc.oneof(text, objectOf(places, text))).map((all) => `[${all.join()}]`);
  const membersOf = (json: string) => {
    const buffer = Buffer.from(json);
    const found = scanObject(buffer)?.members ?? [];
    return found.map(
      ({ key, valueStart, valueEnd }) =>
        [key, buffer.toString("utf8", valueStart, valueEnd)] as const,
    );
  };

  test("only the named members change, and the text stays valid JSON", () => {
    fc.assert(
      fc.property(
        objectOf([...names, "difficulty"], fc.oneof(text, list)),
        fc.boolean(),
        fc.constantFrom("node" as const, "padded" as const),
        (json, pending, signatures) => {
          const result = shaped(json, { pending, signatures });
          const parsed = JSON.parse(result);
          const changed: readonly string[] = pending ? names : ["totalDifficulty", "transactions"];
          const others = (all: string) => membersOf(all).filter(([key]) => !changed.includes(key));
          expect(others(result)).toEqual(others(json));
          expect(parsed).toHaveProperty("totalDifficulty");
          if (pending) for (const name of names.slice(0, 4)) expect(parsed[name]).toBeNull();
          if (!pending && signatures === "node") {
            expect(parsed.transactions).toEqual(JSON.parse(json).transactions);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test("done twice it changes nothing more", () => {
    fc.assert(
      fc.property(objectOf(names, fc.oneof(text, list)), fc.boolean(), (json, pending) => {
        const once = shaped(json, { pending, signatures: "padded" });
        expect(shaped(once, { pending, signatures: "padded" })).toBe(once);
      }),
    );
  });
});
