import type { UpstreamAnswer } from "./upstream-answer.ts";

/** Parts of a path, a query or a header that are shorter are words, and stand in innocent texts. */
const LEAST_CHARS = 12;
const LEAST_PASSWORD_CHARS = 4;

/**
 * The secrets with which an upstream is called: keys in the path, query or headers,
 * user and password. Nodes repeat such texts in their errors, with and without a URL around them.
 */
export class OwnSecrets {
  readonly #secrets: readonly string[];

  constructor(url: URL, headers: Readonly<Record<string, string>>) {
    const parts = [
      ...url.pathname.split("/"),
      ...url.searchParams.values(),
      url.username,
      ...Object.values(headers).flatMap((value) => [value, ...value.split(/[\s,;=]+/)]),
    ].filter(({ length }) => length >= LEAST_CHARS);
    if (url.password.length >= LEAST_PASSWORD_CHARS) parts.push(url.password);
    // The longest first: one may be a part of another.
    this.#secrets = [...new Set(parts.flatMap((part) => [part, decoded(part)]))].sort(
      (a, b) => b.length - a.length,
    );
  }

  /** A node's failure as others may read it; results are not looked at. */
  hideIn(answer: UpstreamAnswer): UpstreamAnswer {
    if (this.#secrets.length === 0) return answer;
    if (answer.kind === "garbage") return { ...answer, body: String(this.#hide(answer.body)) };
    if (answer.kind !== "error") return answer;
    const text = JSON.stringify(answer.error);
    return { ...answer, error: JSON.parse(text, (_, value) => this.#hide(value)) };
  }

  #hide(value: unknown): unknown {
    if (typeof value !== "string") return value;
    return this.#secrets.reduce((text, secret) => text.replaceAll(secret, "[redacted]"), value);
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
