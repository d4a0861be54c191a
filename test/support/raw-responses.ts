import { DEFAULT_WIRE } from "../../src/config/default-wire.ts";

/** Answers of a node as bytes, well and badly made, and what an HTTP client has to see in them. */
export type RawResponse = {
  readonly name: string;
  readonly bytes: Buffer;
  /** `too_large`: more than MAX_BODY_BYTES. */
  readonly seen:
    | { readonly status: number; readonly body: string; readonly persists: boolean }
    | "broken"
    | "too_large"
    /** It goes on; where the connection ends here, it was cut off. */
    | "unfinished";
};

export const MAX_BODY_BYTES = 200_000;

const OK = "HTTP/1.1 200 OK\r\n";
const LARGE = "0123456789abcdef".repeat(6_000);
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

const row = (name: string, text: string, seen: RawResponse["seen"]): RawResponse => ({
  name,
  bytes: Buffer.from(text, "latin1"),
  seen,
});
const chunks = (...parts: string[]) =>
  parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("");
const answer = (body: string, more: { status?: number; persists?: boolean } = {}) => ({
  status: more.status ?? 200,
  body,
  persists: more.persists ?? true,
});

const WHOLE: readonly RawResponse[] = [
  row("a length", `${OK}Content-Length: 5\r\n\r\nhello`, answer("hello")),
  row("a large body", `${OK}Content-Length: ${LARGE.length}\r\n\r\n${LARGE}`, answer(LARGE)),
  row("the length 0", `${OK}content-length:0\r\n\r\n`, answer("")),
  row(
    "the same length twice",
    `${OK}Content-Length: 2\r\nContent-Length: 2\r\n\r\nab`,
    answer("ab"),
  ),
  row("white space around a value", `${OK}Content-Length: \t2 \t\r\n\r\nab`, answer("ab")),
  row("no reason", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nab", answer("ab")),
  row("an empty reason", "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nab", answer("ab")),
  row(
    "bytes above ASCII",
    "HTTP/1.1 200 D\xe9j\xe0\r\nX: \xff\r\nContent-Length: 1\r\n\r\n\xe9",
    answer("\xe9"),
  ),
  row(
    "header ends in the body",
    `${OK}Content-Length: 8\r\n\r\n\r\n\r\n\r\n\r\n`,
    answer("\r\n\r\n\r\n\r\n"),
  ),
  row("one chunk", CHUNKED + chunks("hello", ""), answer("hello")),
  row("some chunks", CHUNKED + chunks("hello", ", ", "node", ""), answer("hello, node")),
  row("a chunk of many bytes", CHUNKED + chunks(LARGE, ""), answer(LARGE)),
  row("many chunks", CHUNKED + chunks(...LARGE.slice(0, 4_000), ""), answer(LARGE.slice(0, 4_000))),
  row(
    "chunks of all sizes",
    CHUNKED + chunks("a", LARGE, "b", LARGE, "c", ""),
    answer(`a${LARGE}b${LARGE}c`),
  ),
  row(
    "a size filled up with spaces",
    `${CHUNKED}5 \t\r\nhello\r\n0   ;a=b\r\n\r\n`,
    answer("hello"),
  ),
  row("no chunk", CHUNKED + chunks(""), answer("")),
  row(
    "extensions",
    `${CHUNKED}5;a=b;c="d"\r\nhello\r\n1 ; x\r\n!\r\n0;last\r\n\r\n`,
    answer("hello!"),
  ),
  row(
    "sizes with zeros and capitals",
    `${CHUNKED}00B\r\nhello hello\r\n000\r\n\r\n`,
    answer("hello hello"),
  ),
  row(
    "trailers",
    `${CHUNKED}5\r\nhello\r\n0\r\nX-A: 1\r\nContent-Length: 9\r\n\r\n`,
    answer("hello"),
  ),
  row(
    "chunks by another name",
    `${OK}TRANSFER-encoding:\tChunked \r\n\r\n${chunks("a", "")}`,
    answer("a"),
  ),
  row("204", "HTTP/1.1 204 No Content\r\nX: y\r\n\r\n", answer("", { status: 204 })),
  row(
    "304 with a length",
    "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n",
    answer("", { status: 304 }),
  ),
  row(
    "an early hint",
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hint\r\nContent-Length: 9\r\nLink: x\r\n\r\n${OK}Content-Length: 2\r\n\r\nab`,
    answer("ab"),
  ),
  row(
    "an error",
    "HTTP/1.1 503 Busy\r\nRetry-After: 3\r\nContent-Length: 4\r\n\r\nbusy",
    answer("busy", { status: 503 }),
  ),
  row(
    "close",
    `${OK}Connection: close\r\nContent-Length: 2\r\n\r\nab`,
    answer("ab", { persists: false }),
  ),
  row(
    "close in a list",
    `${OK}Connection: foo\r\nConnection: x , CLOSE \r\nContent-Length: 2\r\n\r\nab`,
    answer("ab", { persists: false }),
  ),
  row(
    "HTTP/1.0",
    "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nab",
    answer("ab", { persists: false }),
  ),
  row(
    "HTTP/1.0, kept",
    "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nab",
    answer("ab"),
  ),
  row("bytes behind", `${OK}Content-Length: 2\r\n\r\nabc`, answer("ab", { persists: false })),
  row(
    "another answer behind",
    `${OK}Content-Length: 2\r\n\r\nab${OK}Content-Length: 2\r\n\r\ncd`,
    answer("ab", { persists: false }),
  ),
  row(
    "bytes behind the chunks",
    `${CHUNKED}${chunks("ab", "")}\r\n`,
    answer("ab", { persists: false }),
  ),
];

const BROKEN: readonly RawResponse[] = [
  ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n"],
  ["another version", "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n"],
  ["a later minor version", "HTTP/1.2 200 OK\r\nContent-Length: 0\r\n\r\n"],
  ["an empty line first", `\r\n${OK}Content-Length: 0\r\n\r\n`],
  ["a status of two digits", "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n"],
  ["a status of four digits", "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n"],
  ["the status 099", "HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n"],
  ["two spaces", "HTTP/1.1  200 OK\r\nContent-Length: 0\r\n\r\n"],
  ["an upgrade", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"],
  ["lines without CR", "HTTP/1.1 200 OK\nContent-Length: 0\n\n"],
  ["one line without CR", `${OK}A: b\nContent-Length: 0\r\n\r\n`],
  ["a CR inside a value", `${OK}A: b\rc\r\nContent-Length: 0\r\n\r\n`],
  ["a NUL inside a value", `${OK}A: \0\r\nContent-Length: 0\r\n\r\n`],
  ["a line without colon", `${OK}Content-Length\r\n\r\n`],
  ["a line without a name", `${OK}: 5\r\n\r\n`],
  ["a space before the colon", `${OK}Content-Length : 0\r\n\r\n`],
  ["a folded line", `${OK}A: b\r\n c\r\nContent-Length: 0\r\n\r\n`],
  ["a length that is no number", `${OK}Content-Length: 0x5\r\n\r\nhello`],
  ["a negative length", `${OK}Content-Length: -5\r\n\r\nhello`],
  ["a signed length", `${OK}Content-Length: +5\r\n\r\nhello`],
  ["an empty length", `${OK}Content-Length:\r\n\r\n`],
  ["a length with a strange space", `${OK}Content-Length: 5\xa0\r\n\r\nhello`],
  ["a list of lengths", `${OK}Content-Length: 5, 5\r\n\r\nhello`],
  ["two lengths", `${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`],
  ["length and chunks", `${OK}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`],
  ["chunks and length", `${OK}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n`],
  ["chunks twice", `${OK}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n`],
  ["another coding", `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n`],
  ["no coding", `${OK}Transfer-Encoding: identity\r\n\r\n`],
  ["an endless head", `${OK}A: ${"x".repeat(33_000)}`],
  ["a long head", `${OK}A: ${"x".repeat(33_000)}\r\nContent-Length: 0\r\n\r\n`],
  ["many headers", `${OK}${"A: b\r\n".repeat(6_000)}Content-Length: 0\r\n\r\n`],
  ["a size that is no number", `${CHUNKED}x\r\n`],
  ["no size", `${CHUNKED}\r\n`],
  ["a negative size", `${CHUNKED}-1\r\n`],
  ["a size with 0x", `${CHUNKED}0x5\r\nhello\r\n0\r\n\r\n`],
  ["an endless size", `${CHUNKED}${"0".repeat(17)}`],
  ["an endless extension", `${CHUNKED}5;${"x".repeat(1025)}`],
  ["an extension with a control character", `${CHUNKED}5;\x01\r\n`],
  ["a size without CR", `${CHUNKED}5\nhello\r\n0\r\n\r\n`],
  ["a size with CR alone", `${CHUNKED}5\rhello`],
  ["a chunk longer than its size", `${CHUNKED}4\r\nhello\r\n0\r\n\r\n`],
  ["a digit behind a size and a space", `${CHUNKED}5 5\r\nhello\r\n0\r\n\r\n`],
  ["a word behind a size and a space", `${CHUNKED}5\t x\r\nhello\r\n0\r\n\r\n`],
  ["a chunk without CR behind", `${CHUNKED}5\r\nhello\n0\r\n\r\n`],
  ["a trailer without colon", `${CHUNKED}0\r\nnonsense\r\n\r\n`],
  ["endless trailers", `${CHUNKED}0\r\n${"A: b\r\n".repeat(6_000)}`],
].map(([name = "", text = ""]) => row(name, text, "broken"));

const OTHERS: readonly RawResponse[] = [
  row(
    "a length above the limit",
    `${OK}Content-Length: ${MAX_BODY_BYTES + 1}\r\n\r\n`,
    "too_large",
  ),
  row("a length of 30 digits", `${OK}Content-Length: ${"9".repeat(30)}\r\n\r\n`, "too_large"),
  row("a chunk above the limit", `${CHUNKED}${(MAX_BODY_BYTES + 1).toString(16)}\r\n`, "too_large"),
  row("a chunk of 16 digits", `${CHUNKED}${"f".repeat(16)}\r\nabc`, "too_large"),
  row("chunks above the limit", CHUNKED + chunks(LARGE, LARGE, LARGE), "too_large"),
  row("an endless body", `${OK}\r\n${LARGE.repeat(3)}`, "too_large"),
  ...[
    ["half a status line", "HTTP/1.1 20"],
    ["half a head", `${OK}Content-Length: 5\r\n`],
    ["no body", `${OK}Content-Length: 5\r\n\r\n`],
    ["half a body", `${OK}Content-Length: 5\r\n\r\nhel`],
    ["half a large body", `${OK}Content-Length: ${LARGE.length}\r\n\r\n${LARGE.slice(1)}`],
    ["half a chunk", `${CHUNKED}5\r\nhel`],
    ["no last chunk", `${CHUNKED}5\r\nhello\r\n`],
    ["half a trailer", `${CHUNKED}0\r\nA: b\r\n`],
    ["nothing behind a hint", "HTTP/1.1 103 Hint\r\n\r\n"],
  ].map(([name = "", text = ""]) => row(name, text, "unfinished")),
];

export const RAW_RESPONSES: readonly RawResponse[] = [...WHOLE, ...BROKEN, ...OTHERS];

/** Whose end is the connection's. */
export const ENDED_BY_CONNECTION: readonly RawResponse[] = [
  row("no length", `${OK}\r\nhello`, answer("hello", { persists: false })),
  row("no length, large", `${OK}\r\n${LARGE}${LARGE}`, answer(LARGE + LARGE, { persists: false })),
  row("no length and no body", `${OK}A: b\r\n\r\n`, answer("", { persists: false })),
  row(
    "no length, kept",
    `${OK}Connection: keep-alive\r\n\r\nab`,
    answer("ab", { persists: false }),
  ),
  row(
    "HTTP/1.0 without a length",
    "HTTP/1.0 500 No\r\n\r\nab",
    answer("ab", { status: 500, persists: false }),
  ),
];

/**
 * What node:http makes of those that it sees with other eyes than our own reader. It bounds less, and waits for
 * as long as the caller does.
 */
const SEEN_BY_NODE: Readonly<Record<string, RawResponse["seen"] | "waits">> = {
  "the same length twice": "broken",
  "a size filled up with spaces": "broken",
  extensions: "broken",
  trailers: "broken",
  "bytes behind the chunks": answer("ab"),
  "an empty line first": answer(""),
  "many headers": answer("", { persists: false }),
  "an endless size": "waits",
  "an endless extension": "waits",
  "endless trailers": "waits",
  "a length of 30 digits": "broken",
  "a chunk above the limit": "waits",
  "a chunk of 16 digits": "waits",
};

/** What the connections of a pool see in it. */
export function seenHere({ name, seen }: RawResponse): RawResponse["seen"] | "waits" {
  return (DEFAULT_WIRE === "node" && SEEN_BY_NODE[name]) || seen;
}
