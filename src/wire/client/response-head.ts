export type ResponseHead = {
  readonly status: number;
  /** How the body ends (RFC 9112, 6.3): after so many bytes, by chunks, or with the connection. */
  readonly body: number | "chunked" | "until_end";
  /** The connection may carry another request. */
  readonly persists: boolean;
  /** After how long the server closes an idle connection, where it says so. */
  readonly keepAliveSeconds: number | undefined;
  readonly retryAfter: string | undefined;
};

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const VALUE = "[^\\x00-\\x08\\x0a-\\x1f\\x7f]*";
const FIELDS = `(?:${TOKEN}:${VALUE}\\r\\n)*\\r\\n$`;
const HEAD = new RegExp(`^HTTP/1\\.[01] [1-9]\\d\\d(?: ${VALUE})?\\r\\n${FIELDS}`);
const TRAILERS = new RegExp(`^\\r\\n${FIELDS}`);
/** The fields that matter here, each from the end of the line before. */
const NAMED =
  /\r\n(content-length|transfer-encoding|connection|keep-alive|retry-after):[ \t]*([^\r]*)/gi;
const DIGITS = /^\d+[ \t]*$/;

/** A head with its empty line, a character per byte; undefined where it is none of HTTP/1. */
export function parseHead(text: string): ResponseHead | undefined {
  if (!HEAD.test(text)) return undefined;
  const fields = new Fields(text);
  const body = fields.body();
  if (body === undefined) return undefined;
  const status = numberAt(text, 9, 12);
  const isEmpty = status < 200 || status === 204 || status === 304;
  return {
    status,
    body: isEmpty ? 0 : body,
    persists: (isEmpty || body !== "until_end") && fields.persists(text[7] === "0"),
    keepAliveSeconds: fields.keepAliveSeconds(),
    retryAfter: fields.retryAfter,
  };
}

/** Digits as a number: a slice that `Number` would have to copy first costs three times as much. */
function numberAt(text: string, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at += 1) number = number * 10 + text.charCodeAt(at) - 0x30;
  return number;
}

/** Whether this could become a head. */
export function isBeginningOfHead(text: string): boolean {
  return "HTTP/1.".startsWith(text.slice(0, 7));
}

/** Trailers with CR LF before and the empty line behind; what they say has no use here. */
export function areTrailers(text: string): boolean {
  return TRAILERS.test(text);
}

class Fields {
  retryAfter: string | undefined;
  #length: string | undefined;
  #coding: string | undefined;
  #connection: string | undefined;
  #keepAlive: string | undefined;
  #areContradictory = false;

  constructor(head: string) {
    NAMED.lastIndex = 0;
    for (let found = NAMED.exec(head); found !== null; found = NAMED.exec(head)) {
      this.#add(found[1] ?? "", found[2] ?? "");
    }
  }

  #add(name: string, value: string): void {
    switch (name.toLowerCase()) {
      case "content-length":
        if (this.#length !== undefined && this.#length !== value) this.#areContradictory = true;
        this.#length = value;
        break;
      case "transfer-encoding":
        this.#coding = joined(this.#coding, value);
        break;
      case "connection":
        this.#connection = joined(this.#connection, value);
        break;
      case "keep-alive":
        this.#keepAlive = value;
        break;
      default:
        this.retryAfter = value;
    }
  }

  /** Undefined where it cannot be told, or where two ways to tell it contradict each other. */
  body(): ResponseHead["body"] | undefined {
    if (this.#coding !== undefined) {
      // No coding but this one was offered to the server.
      const isChunked = this.#coding.trimEnd().toLowerCase() === "chunked";
      return isChunked && this.#length === undefined ? "chunked" : undefined;
    }
    if (this.#length === undefined) return "until_end";
    if (this.#areContradictory || !DIGITS.test(this.#length)) return undefined;
    return numberAt(this.#length, 0, this.#length.trimEnd().length);
  }

  persists(isHttp10: boolean): boolean {
    if (this.#connection === undefined) return !isHttp10;
    const options = this.#connection.toLowerCase().split(/[ \t]*,[ \t]*/);
    const last = options.pop()?.trimEnd();
    if (last !== undefined) options.push(last);
    return !options.includes("close") && (!isHttp10 || options.includes("keep-alive"));
  }

  keepAliveSeconds(): number | undefined {
    return this.#keepAlive === undefined ? undefined : keepAliveSecondsIn(this.#keepAlive);
  }
}

/** The time that the value of a Keep-Alive header gives; undefined where it gives none. */
export function keepAliveSecondsIn(value: string): number | undefined {
  const seconds = /(?:^|[,; \t])timeout[ \t]*=[ \t]*"?(\d{1,9})/i.exec(value)?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}

function joined(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before},${value}`;
}
