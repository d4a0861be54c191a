import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_BATCH, type ParsedCall, parseMessage } from "./parse-message.ts";
import { encode } from "./value.ts";

/** The call of a body that is one. */
function single(body: string): ParsedCall {
  const message = parseMessage(Buffer.from(body, "utf8"));
  if (message.kind !== "single") throw new Error(message.kind);
  return message.call;
}

const ids = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.bigInt().map(String),
  fc.string({ unit: "binary" }).map((value) => JSON.stringify(value)),
  fc.constantFrom("null", "true", "false", "1.0", "-0", '"\\u00e9"', '"\\/"'),
);

describe("a call", () => {
  test("keeps the bytes of its id, any params and any text of its method", () => {
    const methods = fc.string({ unit: "grapheme", minLength: 1, maxLength: 50 });
    const params = fc.array(fc.jsonValue({ maxDepth: 4 }));
    fc.assert(
      fc.property(ids, methods, params, (id, method, list) => {
        const rest = JSON.stringify({ jsonrpc: "2.0", method, params: list }).slice(1);
        const call = single(`{"id" :\t${id}\n,${rest}`);
        expect(Buffer.from(call.id, "latin1").toString("utf8")).toBe(id);
        expect(call).toMatchObject({ method, notification: false, fault: undefined });
        expect(JSON.parse(encode(call.params ?? null))).toEqual(JSON.parse(JSON.stringify(list)));
      }),
      { numRuns: 2_000 },
    );
  });

  test("without an id is a notification, with the id null it is not", () => {
    expect(single('{"jsonrpc":"2.0","method":"m"}')).toMatchObject({ notification: true });
    expect(single('{"jsonrpc":"2.0","method":"m","id":null}')).toMatchObject({
      notification: false,
      id: "null",
    });
  });

  test("that is invalid is never a notification: its fault is answered", () => {
    for (const body of ["{}", '{"method":"m"}', '{"jsonrpc":"2.0"}', "1", '"x"', "null"]) {
      const call = single(body);
      expect(call.notification).toBe(false);
      expect(call.fault).toMatchObject({ name: "invalid_request" });
      expect(call.id).toBe("null");
    }
  });
});

describe("a batch", () => {
  test("has its calls in order", () => {
    const batches = fc.array(ids, { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(batches, (all) => {
        const calls = all.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"m"}`);
        const message = parseMessage(Buffer.from(`[${calls.join(" ,\n")}]`));
        if (message.kind !== "batch") throw new Error(message.kind);
        const given = message.calls.map(({ id }) => Buffer.from(id, "latin1").toString("utf8"));
        expect(given).toEqual(all);
      }),
    );
  });

  test("has calls that each know the text of their own params alone", () => {
    const params = ['["0x1",false]', undefined, '["0x2", false]', "[]", undefined];
    const calls = params.map((text) =>
      text === undefined ? '{"method":"m"}' : `{"params":${text},"method":"m"}`,
    );
    const usual = calls.map((call) => `{"jsonrpc":"2.0","id":1,${call.slice(1)}`);
    const message = parseMessage(Buffer.from(`[${usual.join(",")}]`));
    if (message.kind !== "batch") throw new Error(message.kind);
    const known = ['["0x1",false]', undefined, undefined, "[]", undefined];
    expect(message.calls.map(({ paramsText }) => paramsText)).toEqual(known);
  });

  test("of too many calls is not kept in memory, however long it is", () => {
    const message = parseMessage(Buffer.from(`[${"0,".repeat(1_000_000)}0]`));
    expect(message).toMatchObject({ kind: "fault", inArray: true });
    expect(parseMessage(Buffer.from(`[${"0,".repeat(MAX_BATCH - 1)}0]`)).kind).toBe("batch");
  });
});

test("no bytes make it throw", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      expect(["single", "batch", "fault"]).toContain(parseMessage(Buffer.from(bytes)).kind);
    }),
    { numRuns: 5_000 },
  );
});
