/**
 * The envelope as a table: what a body gets, to the byte. The rules are JSON-RPC 2.0 and
 * docs/decisions.md, "Envelope".
 */
export type EnvelopeRow = {
  readonly name: string;
  readonly body: string | Buffer;
  /** The answer's bytes; none where nothing is owed (204). */
  readonly answer: string | undefined;
};

export const call = (id: string, method = "eth_chainId", params = "[]"): string =>
  `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${params}}`;
export const ok = (id: string, result = '"0x1"'): string =>
  `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
const fault = (id: string, code: number, message: string): string =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}}}`;

const notification = '{"jsonrpc":"2.0","method":"eth_gasPrice"}';
const parseError = fault("null", -32700, "parse error");
const noObject = fault("null", -32600, "invalid request: a call is an object");
const tooDeep = (id: string) =>
  fault(id, -32600, "invalid request: nested more than 64 levels deep");
const noVersion = (id: string) => fault(id, -32600, 'invalid request: jsonrpc must be "2.0"');
const noMethod = (id: string) => fault(id, -32600, "invalid request: method must be a string");
const noId = fault("null", -32600, "invalid request: id must be a string, a number or null");
const unknown = (id: string, method: string) =>
  fault(id, -32601, `the method ${method} does not exist/is not available`);
const readOnly = (id: string, method: string) =>
  fault(
    id,
    -32601,
    `the method ${method} does not exist/is not available: this service is read-only`,
  );

const arrays = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const objects = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
const mixed = (levels: number): string =>
  levels === 0 ? "1" : levels % 2 ? `[0,${mixed(levels - 1)},2]` : `{"k":${mixed(levels - 1)}}`;
/** A call that holds this value under a key that means nothing. */
const holding = (value: string, id = "1") =>
  `{"jsonrpc":"2.0","x":${value},"id":${id},"method":"eth_chainId"}`;
const calls = (count: number) => Array.from({ length: count }, (_, id) => call(String(id)));
const answers = (count: number) => Array.from({ length: count }, (_, id) => ok(String(id)));

const row = (name: string, body: string | Buffer, answer?: string): EnvelopeRow => ({
  name,
  body,
  answer,
});

const IDS = [
  "0",
  "1",
  "-1",
  "-0",
  "1.0",
  "1.5",
  "1e3",
  "1E+3",
  "0.10e-7",
  "9007199254740993",
  "18446744073709551616",
  "1e400",
  "9".repeat(400),
  '""',
  '"a"',
  '"1"',
  '"é"',
  '"\\u00e9"',
  '"\\u00E9"',
  '"\\"\\\\\\/\\b"',
  '"\\ud800"',
  '"😀"',
  '"\\ud83d\\ude00"',
  '"]}, "',
  '"\u2028"',
  '"\x7f"',
  "true",
  "false",
  "null",
];

const IDENTIFIERS = IDS.map((id) => row(`the id ${id.slice(0, 40)}`, call(id), ok(id)));

const SPLIT_KEYS: EnvelopeRow[] = [
  row(
    "spaces around every token",
    ' {\t"jsonrpc" : "2.0" ,\r\n"id" : 1.0 , "method" : "eth_chainId" } \n',
    ok("1.0"),
  ),
  row(
    "escapes in keys and values",
    '{"\\u006asonrpc":"\\u0032.0","i\\u0064":7,"m\\u0065thod":"eth_ch\\u0061inId"}',
    ok("7"),
  ),
  row(
    "keys in another case are other keys",
    '{"JSONRPC":"2.0","Id":1,"METHOD":"eth_chainId"}',
    noVersion("null"),
  ),
  row(
    "keys that mean nothing",
    '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","extra":{"id":2},"result":3}',
    ok("1"),
  ),
  row("the last of two ids", '{"id":1,"jsonrpc":"2.0","id":2,"method":"eth_chainId"}', ok("2")),
  row(
    "the last of two ids, an object",
    '{"id":1,"jsonrpc":"2.0","id":{},"method":"eth_chainId"}',
    noId,
  ),
  row(
    "the last of two ids, written in other bytes",
    '{"id":[],"jsonrpc":"2.0","\\u0069d":3,"method":"eth_chainId"}',
    ok("3"),
  ),
  row(
    "the last of two methods",
    '{"jsonrpc":"2.0","id":1,"method":"nope","method":"eth_chainId"}',
    ok("1"),
  ),
  row(
    "the last of two versions",
    '{"jsonrpc":"2.0","jsonrpc":"1.0","id":1,"method":"eth_chainId"}',
    noVersion("1"),
  ),
  row(
    "the last of two params",
    '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":{},"params":[]}',
    ok("1"),
  ),
  row(
    "__proto__ as a key",
    '{"__proto__":{"id":9,"method":"x"},"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
    ok("1"),
  ),
  row(
    "constructor and __proto__ in place of the members",
    '{"constructor":1,"__proto__":{"jsonrpc":"2.0","method":"eth_chainId","id":1}}',
    noVersion("null"),
  ),
];

const PARAMS: EnvelopeRow[] = [
  row("params absent", '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}', ok("1")),
  row("params null", call("1", "eth_chainId", "null"), ok("1")),
  row("params an empty list", call("1", "eth_chainId", "[]"), ok("1")),
  row("params an object", call("1", "eth_chainId", "{}"), fault("1", -32602, "non-array args")),
  row("params a string", call("1", "eth_chainId", '"x"'), fault("1", -32602, "non-array args")),
  row("params a number", call("1", "eth_chainId", "0"), fault("1", -32602, "non-array args")),
  row("params false", call("1", "eth_chainId", "false"), fault("1", -32602, "non-array args")),
  row(
    "a parameter too many",
    call("1", "eth_chainId", "[1]"),
    fault("1", -32602, "too many arguments, want at most 0"),
  ),
];

const METHODS: EnvelopeRow[] = [
  row("an unknown method", call("1", "eth_nope"), unknown("1", "eth_nope")),
  row("a method in another case", call("1", "ETH_CHAINID"), unknown("1", "ETH_CHAINID")),
  row("a method with text beyond ASCII", call("1", 'é"\\😀'), unknown("1", 'é"\\😀')),
  row(
    "a method with half of a surrogate pair",
    '{"jsonrpc":"2.0","id":1,"method":"\\ud800"}',
    unknown("1", "\ud800"),
  ),
  ...["__proto__", "constructor", "toString", "hasOwnProperty"].map((method) =>
    row(`${method} as a method`, call("1", method), unknown("1", method)),
  ),
  ...["eth_sendRawTransaction", "eth_sign", "personal_unlockAccount", "anvil_mine"].map((method) =>
    row(`the writing method ${method}`, call("1", method), readOnly("1", method)),
  ),
  row("a method of 2,048 characters", call("1", "m".repeat(2048)), unknown("1", "m".repeat(2048))),
  row(
    "a method of 2,049 characters",
    call("1", "m".repeat(2049)),
    fault("1", -32600, "method name too long: 2049 > 2048"),
  ),
  row("a method that is empty", call("1", ""), noMethod("1")),
  row("no method", '{"jsonrpc":"2.0","id":1}', noMethod("1")),
  row("no method and no id is no notification", '{"jsonrpc":"2.0"}', noMethod("null")),
  row("a method that is a number", '{"jsonrpc":"2.0","id":"a","method":1}', noMethod('"a"')),
  row("a method that is null", '{"jsonrpc":"2.0","id":null,"method":null}', noMethod("null")),
  row(
    "a method that is a list",
    '{"jsonrpc":"2.0","id":1,"method":["eth_chainId"]}',
    noMethod("1"),
  ),
];

const REQUESTS: EnvelopeRow[] = [
  row("no version", '{"id":1,"method":"eth_chainId"}', noVersion("1")),
  row("no version and no id", '{"method":"eth_chainId"}', noVersion("null")),
  row("version 1.0", '{"jsonrpc":"1.0","id":1.5,"method":"eth_chainId"}', noVersion("1.5")),
  row("the version as a number", '{"jsonrpc":2.0,"id":1,"method":"eth_chainId"}', noVersion("1")),
  row("the version null", '{"jsonrpc":null,"id":"é","method":"eth_chainId"}', noVersion('"é"')),
  row("an id that is an object", '{"jsonrpc":"2.0","id":{"a":1},"method":"eth_chainId"}', noId),
  row("an id that is a list", '{"jsonrpc":"2.0","id":[1],"method":"eth_chainId"}', noId),
  row("an empty object", "{}", noVersion("null")),
  ...["1", '"x"', "null", "true", "-1.5e3"].map((body) => row(`the value ${body}`, body, noObject)),
  row("a notification", notification),
  row("a notification of an unknown method", '{"jsonrpc":"2.0","method":"nope"}'),
  row("a notification with bad params", '{"jsonrpc":"2.0","method":"eth_chainId","params":{}}'),
];

const NESTING: EnvelopeRow[] = [
  ...(["arrays", "objects", "mixed"] as const).flatMap((kind) => {
    const nest = { arrays, objects, mixed }[kind];
    return [
      row(`64 levels, ${kind}`, holding(nest(63)), ok("1")),
      row(`65 levels, ${kind}`, holding(nest(64)), tooDeep("1")),
      row(`64 levels in a batch, ${kind}`, `[${holding(nest(62))}]`, `[${ok("1")}]`),
      row(`65 levels in a batch, ${kind}`, `[${holding(nest(63))}]`, `[${tooDeep("1")}]`),
      row(
        `20,000 levels, ${kind === "mixed" ? "arrays" : kind}`,
        holding((kind === "mixed" ? arrays : nest)(20_000)),
        tooDeep("1"),
      ),
    ];
  }),
  row("65 levels in params", call("1.0", "eth_chainId", arrays(64)), tooDeep("1.0")),
  row(
    "64 levels in params",
    call("1", "eth_chainId", arrays(63)),
    fault("1", -32602, "too many arguments, want at most 0"),
  ),
  row("65 levels in an id", holding("1", arrays(64)), tooDeep("null")),
  row(
    "65 levels in a value that a later key replaces",
    `{"jsonrpc":"2.0","id":1,"params":${arrays(64)},"params":[],"method":"eth_chainId"}`,
    tooDeep("1"),
  ),
  row(
    "65 levels in a call without id",
    `{"jsonrpc":"2.0","method":"eth_chainId","x":${arrays(64)}}`,
    tooDeep("null"),
  ),
  row(
    "brackets in strings are no nesting",
    holding(JSON.stringify(`\\"${"[{".repeat(500)}`)),
    ok("1"),
  ),
  row(
    "brackets in a key are no nesting",
    holding(`{${JSON.stringify("[".repeat(99))}:1}`),
    ok("1"),
  ),
  row(
    "nesting side by side is not deep",
    holding(`[${Array(500).fill(arrays(62)).join(",")}]`),
    ok("1"),
  ),
  row("too deep and unclosed", holding("[".repeat(100)), parseError),
  row(
    "too deep and closed by the wrong bracket",
    holding(`${"[".repeat(100)}}${"]".repeat(99)}`),
    parseError,
  ),
  row(
    "too deep with a comma at the end",
    holding(`${"[".repeat(100)}1,${"]".repeat(100)}`),
    parseError,
  ),
  row(
    "too deep with a key that is none",
    holding(`${"[".repeat(100)}{1:2}${"]".repeat(100)}`),
    parseError,
  ),
  row(
    "only the element that is too deep",
    `[${call("1")},${holding(arrays(63), "2")},${call("3")}]`,
    `[${ok("1")},${tooDeep("2")},${ok("3")}]`,
  ),
  row(
    "an element that is nothing but nesting",
    `[${arrays(64)},${call("3")}]`,
    `[${tooDeep("null")},${ok("3")}]`,
  ),
];

const BATCHES: EnvelopeRow[] = [
  row("an empty batch", "[]", fault("null", -32600, "empty batch")),
  row("an empty batch with spaces", " [ \n ] ", fault("null", -32600, "empty batch")),
  row("a batch of one", `[${call("1")}]`, `[${ok("1")}]`),
  row(
    "a batch in order, equal ids too",
    `[${call("2")},${call("1")},${call("1")}]`,
    `[${ok("2")},${ok("1")},${ok("1")}]`,
  ),
  row("[1]", "[1]", `[${noObject}]`),
  row("[1,2,3]", "[1,2,3]", `[${noObject},${noObject},${noObject}]`),
  row("a batch in a batch", `[[${call("1")}]]`, `[${noObject}]`),
  row("an empty batch in a batch", `[[],${call("1")}]`, `[${noObject},${ok("1")}]`),
  row("notifications only", `[${notification},${notification}]`),
  row(
    "a notification among calls",
    `[${call("1")},${notification},${call("2")}]`,
    `[${ok("1")},${ok("2")}]`,
  ),
  row("a notification and an error", `[${notification},{}]`, `[${noVersion("null")}]`),
  row(
    "good, bad, unknown and odd elements",
    `[${call("1.0")},{"id":2},${notification},${call('"é"', "nope")},null,${call("4", "eth_gasPrice")}]`,
    `[${ok("1.0")},${noVersion("2")},${unknown('"é"', "nope")},${noObject},${ok("4", '"0x10"')}]`,
  ),
  row("1,000 calls", `[${calls(1000).join()}]`, `[${answers(1000).join()}]`),
  row("1,001 calls", `[${calls(1001).join()}]`, `[${fault("null", -32600, "batch too large")}]`),
  row(
    "1,001 notifications",
    `[${Array(1001).fill(notification).join()}]`,
    `[${fault("null", -32600, "batch too large")}]`,
  ),
  row("1,001 calls and a syntax error", `[${calls(1001).join()}`, parseError),
  row("a syntax error in the last element", `[${call("1")},{]`, parseError),
  row("a comma at the end", `[${call("1")},]`, parseError),
  row("no comma", `[${call("1")} ${call("2")}]`, parseError),
];

const whole = call("1");
const NO_JSON: EnvelopeRow[] = [
  row("an empty body", "", parseError),
  row("white space alone", " \r\n\t", parseError),
  row("a word", "hello", parseError),
  row("a byte after the value", `${whole}x`, parseError),
  row("a comma after the value", `${whole},`, parseError),
  row("a NUL after the value", `${whole}\0`, parseError),
  row("two values", `${whole}${whole}`, parseError),
  row("two values on two lines", `${whole}\n${whole}`, parseError),
  row("a bracket after a batch", `[${whole}]]`, parseError),
  row("a byte order mark", `\ufeff${whole}`, parseError),
  row("UTF-16", Buffer.from(whole, "utf16le"), parseError),
  row("no-break space between tokens", `{\u00a0"jsonrpc":"2.0"}`, parseError),
  row("single quotes", "{'jsonrpc':'2.0'}", parseError),
  row("a comment", `/**/${whole}`, parseError),
  row("a key without quotes", "{jsonrpc:1}", parseError),
  row("a comma before the brace", '{"jsonrpc":"2.0",}', parseError),
  row("a key without a value", '{"jsonrpc"}', parseError),
  row("a newline in a string", holding('"a\nb"'), parseError),
  row("an unknown escape", holding('"\\x"'), parseError),
  row("half an escape", holding('"\\u12"'), parseError),
  ...["01", "-", "+1", ".5", "1.", "1e", "0x1", "NaN", "Infinity", "-01", "1_0"].map((number) =>
    row(`the number ${number}`, call(number), parseError),
  ),
  ...["True", "nul", "nullx", "undefined"].map((word) =>
    row(`the word ${word}`, call(word), parseError),
  ),
  ...Array.from({ length: whole.length - 1 }, (_, index) =>
    row(`cut after ${index + 1} bytes`, whole.slice(0, index + 1), parseError),
  ),
];

/** A text frame must not carry these; as an HTTP body or binary frame they are no JSON. */
export const INVALID_UTF8: readonly EnvelopeRow[] = [
  ["a byte of no character", [0xff]],
  ["a continuation byte alone", [0x80]],
  ["an overlong slash", [0xc0, 0xaf]],
  ["half of a surrogate pair", [0xed, 0xa0, 0x80]],
  ["beyond the last character", [0xf4, 0x90, 0x80, 0x80]],
  ["a character that is cut", [0xe2, 0x82]],
].map(([name, bytes]) => {
  const [before = "", after = ""] = holding('"|"').split("|");
  const parts = [Buffer.from(before), Buffer.from(bytes as number[]), Buffer.from(after)];
  return row(`invalid UTF-8: ${name}`, Buffer.concat(parts), parseError);
});

export const ENVELOPE: readonly EnvelopeRow[] = [
  ...IDENTIFIERS,
  ...SPLIT_KEYS,
  ...PARAMS,
  ...METHODS,
  ...REQUESTS,
  ...NESTING,
  ...BATCHES,
  ...NO_JSON,
];
