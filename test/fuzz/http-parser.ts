import process from "node:process";

/** The parser of node:http, which nothing public gives: what it says is what the other wire does. */
export type HttpParser = {
  initialize(type: number, resource: object): void;
  execute(bytes: Buffer): number | Error;
  finish(): Error | undefined;
  [callback: number]: unknown;
};
type HttpParserClass = {
  new (): HttpParser;
  readonly REQUEST: number;
  readonly RESPONSE: number;
  readonly kOnHeaders: number;
  readonly kOnHeadersComplete: number;
  readonly kOnBody: number;
  readonly kOnMessageComplete: number;
};

/** What it tells of a head: versions, headers, method, target, status and its text, and two flags. */
type HeadersComplete = readonly [
  ...[number, number, string[] | undefined, number, string | undefined],
  ...[number, string, boolean, boolean],
];

// The types know no module of this name.
const builtin = process.getBuiltinModule as (name: string) => unknown;
const { HTTPParser } = builtin("_http_common") as { readonly HTTPParser: HttpParserClass };

export type ParsedHttp = {
  readonly headers: readonly string[];
  /** Of a request. */
  readonly method: number;
  readonly target: string;
  /** Of a response. */
  readonly status: number;
  readonly isUpgrade: boolean;
  readonly persists: boolean;
  body: Buffer;
  isWhole: boolean;
};

export const POST = 3;

/** Parsers are freed in a later turn of the loop, and a fuzzer never comes to that. */
const PARSER = new HTTPParser();

/** Reads messages of HTTP/1 as node:http does; one at a time. */
export class NodeHttpReader {
  readonly messages: ParsedHttp[] = [];
  readonly #parser = PARSER;
  #headers: string[] = [];

  constructor(kind: "request" | "response") {
    this.#parser.initialize(kind === "request" ? HTTPParser.REQUEST : HTTPParser.RESPONSE, {});
    let target = "";
    this.#parser[HTTPParser.kOnHeaders] = (headers: string[], url: string) => {
      this.#headers.push(...headers);
      target += url;
    };
    this.#parser[HTTPParser.kOnHeadersComplete] = (...told: HeadersComplete) => {
      const [, , headers, method, url, status, , isUpgrade, persists] = told;
      this.messages.push({
        headers: [...this.#headers, ...(headers ?? [])],
        method,
        target: target + (url ?? ""),
        status,
        isUpgrade,
        persists,
        body: Buffer.alloc(0),
        isWhole: false,
      });
      this.#headers = [];
      target = "";
      return 0;
    };
    this.#parser[HTTPParser.kOnBody] = (bytes: Buffer) => {
      const last = this.messages.at(-1);
      if (last !== undefined) last.body = Buffer.concat([last.body, bytes]);
    };
    this.#parser[HTTPParser.kOnMessageComplete] = () => {
      const last = this.messages.at(-1);
      if (last !== undefined) last.isWhole = true;
    };
  }

  /** False where it is no HTTP any more. The bytes may be overwritten afterwards. */
  read(bytes: Buffer): boolean {
    return !(this.#parser.execute(Buffer.from(bytes)) instanceof Error);
  }

  /** The connection ended. */
  end(): boolean {
    return !(this.#parser.finish() instanceof Error);
  }
}

/** The values of a header, its name in lower case. */
export function valuesOf({ headers }: ParsedHttp, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() === name) values.push(headers[at + 1] ?? "");
  }
  return values;
}
