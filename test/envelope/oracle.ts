/**
 * What a body is owed by JSON-RPC 2.0 and docs/decisions.md, worked out by other means than the gateway's:
 * JSON.parse with the source text of ids, and a walk over the text for nesting.
 */

/** One answer that is owed: its id's text, and its error code, `result`, or either of some. */
export type Owed = { readonly id: string; readonly codes: readonly (number | "result")[] };

export type OwedAnswer = {
  readonly status: number;
  /** None, one object, or a list of them. */
  readonly form: "nothing" | "object" | "list";
  readonly owed: readonly Owed[];
};

const MAX_LEVELS = 64;
const HASH = /^0x[0-9a-fA-F]{64}$/;
/** A receipt of such a hash fails at every node. */
const FAILING_HASH = /^0xdead/i;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const nothing: OwedAnswer = { status: 204, form: "nothing", owed: [] };

const object = (id: string, code: number | "result", status = 200): OwedAnswer => ({
  status,
  form: "object",
  owed: [{ id, codes: [code] }],
});

export function owedTo(body: Buffer): OwedAnswer {
  let text: string;
  let message: unknown;
  try {
    text = decoder.decode(body);
    message = JSON.parse(text);
  } catch {
    return object("null", -32700);
  }
  if (!Array.isArray(message)) {
    const owed = owedToCall(text, message, 1);
    if (owed === undefined) return nothing;
    const status = owed.codes[0] === -32603 ? 503 : 200;
    return { status, form: "object", owed: [owed] };
  }
  if (message.length === 0) return object("null", -32600);
  if (message.length > 1000) return { ...object("null", -32600), form: "list" };
  const texts = elementTexts(text);
  const owed = message.flatMap((each, index) => owedToCall(texts[index] ?? "", each, 2) ?? []);
  if (owed.length === 0) return nothing;
  if (owed.every(({ codes }) => codes[0] === -32603)) return object("null", -32603, 503);
  return { status: 200, form: "list", owed };
}

/** `level`: of the call's own bracket. Undefined for a notification. */
function owedToCall(text: string, call: unknown, level: number): Owed | undefined {
  const invalid = (id: string): Owed => ({ id, codes: [-32600] });
  if (typeof call !== "object" || call === null || Array.isArray(call)) return invalid("null");
  const id = idText(text);
  if (deepest(text) + level - 1 > MAX_LEVELS) return invalid(id ?? "null");
  const given = own(call, "id");
  if (typeof given === "object" && given !== null) return invalid("null");
  const method = own(call, "method");
  if (own(call, "jsonrpc") !== "2.0" || typeof method !== "string") return invalid(id ?? "null");
  if (method === "" || method.length > 2048) return invalid(id ?? "null");
  return id === undefined ? undefined : { id, codes: codesOf(method, own(call, "params")) };
}

const own = (value: object, key: string): unknown =>
  Object.getOwnPropertyDescriptor(value, key)?.value;

function codesOf(method: string, params: unknown): Owed["codes"] {
  switch (method) {
    case "eth_chainId":
    case "eth_gasPrice":
      return [params == null || (Array.isArray(params) && params.length === 0) ? "result" : -32602];
    case "eth_getTransactionReceipt": {
      if (!Array.isArray(params) || params.length !== 1) return [-32602];
      const [hash] = params;
      if (typeof hash !== "string" || !HASH.test(hash)) return [-32602];
      return [FAILING_HASH.test(hash) ? -32603 : "result"];
    }
    default:
      // A mutation seldom hits the name of another method that is served.
      return ["eth_syncing", "eth_accounts", "net_version"].includes(method)
        ? ["result", -32602]
        : [-32601];
  }
}

/** The last outermost id as it was written, `null` for a nested one; undefined without an id. */
function idText(text: string): string | undefined {
  let found: string | undefined;
  let key: string | undefined;
  let depth = 0;
  for (const token of tokens(text)) {
    const opens = token === "{" || token === "[";
    if (depth === 1) {
      if (token === ",") key = undefined;
      else if (key === undefined && token.startsWith('"')) key = JSON.parse(token);
      else if (key === "id" && token !== ":" && token !== "}") found = opens ? "null" : token;
    }
    if (opens) depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
  }
  return found;
}

const TOKEN = /[{}[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+/g;

/** The tokens of a text that is known to be JSON. */
export const tokens = (text: string): string[] => text.match(TOKEN) ?? [];

/** Twice the values and once the keys of a body, whether it is JSON or not: what bounds a message. */
export function complexityOf(body: Buffer): number {
  let count = 0;
  for (const token of tokens(body.toString("latin1"))) {
    if (token === ":") count -= 1;
    else if (!["}", "]", ","].includes(token)) count += 2;
  }
  return count;
}

function deepest(text: string): number {
  let depth = 0;
  let most = 0;
  for (const token of tokens(text)) {
    if (token === "{" || token === "[") {
      depth += 1;
      most = Math.max(most, depth);
    } else if (token === "}" || token === "]") depth -= 1;
  }
  return most;
}

/** The elements of a list, as they were written but for the white space around their tokens. */
function elementTexts(text: string): string[] {
  const texts: string[] = [];
  let element = "";
  let depth = 0;
  for (const token of tokens(text)) {
    if (token === "}" || token === "]") depth -= 1;
    if (depth === 0 && element !== "") texts.push(element);
    else if (depth === 1 && token === ",") texts.push(element);
    if (depth === 0 || (depth === 1 && token === ",")) element = "";
    else element += token;
    if (token === "{" || token === "[") depth += 1;
  }
  return texts;
}
