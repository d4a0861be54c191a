import fc from "fast-check";

/** Bodies that begin as valid calls and batches and are then damaged. */

const HASH = "ab".repeat(32);
const ids = fc.oneof(
  fc.constantFrom("1", "1.0", "9007199254740993", "1e3", "-0", '"a"', '"é\\u00e9"', "null", "true"),
  fc.constantFrom("[]", "{}", '{"id":1}', '"\\ud800"'),
);
const methods = fc.constantFrom(
  "eth_chainId",
  "eth_gasPrice",
  "eth_getTransactionReceipt",
  "eth_nope",
  "eth_sendRawTransaction",
);
const params = fc.constantFrom(
  "[]",
  "null",
  "{}",
  `["0x${HASH}"]`,
  `["0xdead${HASH.slice(4)}"]`,
  `["0x${HASH}",1]`,
  '["0x12"]',
  `[[${"[".repeat(58)}${"]".repeat(58)}]]`,
);
/** A method and params, half of the time such as belong together. */
const requests = fc.oneof(
  fc.tuple(methods, params),
  fc.constantFrom<[string, string]>(
    ["eth_chainId", "[]"],
    ["eth_gasPrice", "null"],
    ["eth_getTransactionReceipt", `["0x${HASH}"]`],
  ),
);
const members = fc.tuple(ids, requests, fc.nat({ max: 9 })).map(([id, [method, list], kind]) => {
  const all = ['"jsonrpc":"2.0"', `"id":${id}`, `"method":"${method}"`, `"params":${list}`];
  // A notification, a call without params, another order, and mostly all of it.
  if (kind === 0) all.splice(1, 1);
  else if (kind === 1) all.pop();
  else if (kind === 2) all.reverse();
  return all;
});
const calls = members.map((all) => `{${all.join(",")}}`);
/** Well-formed calls that every node fails: a batch of them alone is 503 as a whole. */
const failing = fc.constant(
  `{"jsonrpc":"2.0","id":7,"method":"eth_getTransactionReceipt","params":["0xdead${HASH.slice(4)}"]}`,
);
const batches = fc
  .array(fc.oneof({ arbitrary: calls, weight: 6 }, { arbitrary: failing, weight: 2 }, ids), {
    maxLength: 5,
  })
  .map((all) => `[${all.join(",")}]`);
const bodies = fc.oneof(
  { arbitrary: calls, weight: 5 },
  { arbitrary: batches, weight: 4 },
  {
    arbitrary: fc.array(failing, { minLength: 1, maxLength: 3 }).map((all) => `[${all}]`),
    weight: 1,
  },
);

type Mutation = (body: Buffer) => Buffer;
/** A place in the body, as a share of its length. */
const place = fc.nat({ max: 999 });
const at = (body: Buffer, share: number) => Math.floor((body.length * share) / 1000);
/** The body with these bytes in place of those from `start` to `end`. */
const splice = (body: Buffer, [start, end]: [number, number], bytes: string | Buffer): Buffer =>
  Buffer.concat([
    body.subarray(0, start),
    typeof bytes === "string" ? Buffer.from(bytes, "utf8") : bytes,
    body.subarray(end),
  ]);
const put = (body: Buffer, start: number, bytes: string | Buffer): Buffer =>
  splice(body, [start, start], bytes);

const PIECES = [
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"',
  "\\",
  " ",
  "\n",
  "0",
  "-",
  "1e5",
  ".",
  "null",
  "true",
  "é",
  "\ufeff",
  "\0",
  '"id":2,',
  '"id":[1],',
  '"id":"x",',
  '"method":"eth_chainId",',
  '"jsonrpc":"1.0",',
  '"params":[],',
  '"__proto__":{"id":5},',
  '"i\\u0064":4,',
  "[[]],",
  "{},",
  "//",
  "\\u0000",
  '\\"',
];

const flip = fc.tuple(place, fc.nat({ max: 255 })).map(([share, byte]): Mutation => {
  return (body) => splice(body, [at(body, share), at(body, share) + 1], Buffer.of(byte));
});
const insert = fc.tuple(place, fc.constantFrom(...PIECES)).map(([share, piece]): Mutation => {
  return (body) => put(body, at(body, share), piece);
});
const insertMember = fc
  .constantFrom(...PIECES.filter((piece) => piece.endsWith(",")))
  .chain((piece) =>
    fc.nat({ max: 3 }).map(
      (skipped): Mutation =>
        (body) => {
          let brace = body.indexOf("{");
          for (let n = 0; n < skipped && brace >= 0; n += 1) brace = body.indexOf("{", brace + 1);
          return brace < 0 ? body : put(body, brace + 1, piece);
        },
    ),
  );
const remove = fc.tuple(place, fc.nat({ max: 20 })).map(([share, length]): Mutation => {
  return (body) => splice(body, [at(body, share), at(body, share) + length], "");
});
const truncate = place.map(
  (share): Mutation =>
    (body) =>
      body.subarray(0, at(body, share)),
);
const double = fc.tuple(place, place).map(([from, to]): Mutation => {
  return (body) => {
    const [start = 0, end = 0] = [at(body, from), at(body, to)].sort((a, b) => a - b);
    return put(body, end, body.subarray(start, end));
  };
});
const nest = fc
  .tuple(place, fc.constantFrom(1, 30, 58, 59, 60, 61, 62, 63, 64, 65, 3000), fc.boolean())
  .map(([share, levels, objects]): Mutation => {
    const [open, close] = objects ? ['{"a":', "}"] : ["[", "]"];
    const value = `${open.repeat(levels)}1${close.repeat(levels)}`;
    // In the place of a value where there is one, so that the JSON stays whole.
    return (body) => {
      const colon = body.indexOf(":", at(body, share));
      if (colon < 0) return put(body, at(body, share), value);
      return put(body, colon + 1, `${value},"x":`);
    };
  });
const repeat = fc.constantFrom(2, 300, 1000, 1001).map((times): Mutation => {
  return (body) =>
    body.length > 400 ? body : Buffer.from(`[${Array(times).fill(body).join(",")}]`, "utf8");
});

const mutations = fc.oneof(
  { arbitrary: flip, weight: 3 },
  { arbitrary: insert, weight: 4 },
  { arbitrary: insertMember, weight: 8 },
  { arbitrary: remove, weight: 2 },
  { arbitrary: truncate, weight: 1 },
  { arbitrary: double, weight: 2 },
  { arbitrary: nest, weight: 3 },
);
/** One in some hundred bodies becomes a batch of up to 1,001. */
const seldom = fc
  .nat({ max: 299 })
  .chain((n) => (n === 0 ? repeat : fc.constant((b: Buffer) => b)));

export const mutatedBodies: fc.Arbitrary<Buffer> = fc
  .tuple(bodies, fc.array(mutations, { maxLength: 3 }), seldom)
  .map(([body, changes, last]) =>
    [...changes, last].reduce<Buffer>((before, change) => change(before), Buffer.from(body)),
  );
