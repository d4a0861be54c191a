import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fitsOrigin, formatOriginPattern, parseOriginPattern } from "./origins.ts";

const fits = (entry: string, origin: string): boolean | undefined => {
  const pattern = parseOriginPattern(entry);
  return pattern && fitsOrigin([pattern], origin);
};

describe("an origin fits an entry", () => {
  const schemes = fc.constantFrom("http", "https", "chrome-extension");
  const labels = fc.array(fc.constantFrom("a", "b", "example", "com", "x-1"), {
    minLength: 1,
    maxLength: 4,
  });
  const hosts = labels.map((parts) => `${parts.join(".")}.test`);
  const ports = fc.constantFrom("", ":80", ":443", ":8080");

  test("exactly where a regular expression made of the entry says so", () => {
    const entries = fc.record({
      scheme: fc.option(schemes, { nil: undefined }),
      subdomains: fc.boolean(),
      host: hosts,
      port: fc.oneof(ports, fc.constant(":*")),
    });
    const origins = fc.record({ scheme: schemes, host: hosts, port: ports });
    const near = entries.chain((entry) =>
      fc.record({
        entry: fc.constant(entry),
        origin: fc.oneof(
          origins,
          fc.record({
            scheme: fc.constant(entry.scheme ?? "https"),
            host: fc.constantFrom(entry.host, `www.${entry.host}`, `x${entry.host}`),
            port: fc.constantFrom(entry.port === ":*" ? ":1" : entry.port, ""),
          }),
        ),
      }),
    );
    fc.assert(
      fc.property(near, ({ entry, origin }) => {
        const { scheme = origin.scheme, host, subdomains, port } = entry;
        const own =
          new Map([
            ["http", ":80"],
            ["https", ":443"],
          ]).get(origin.scheme) ?? "";
        const hostModel = `${subdomains ? "([^/:]+\\.)" : ""}${host.replaceAll(".", "\\.")}`;
        const portModel = port === ":*" ? "(:\\d+)?" : port || own;
        const model = new RegExp(`^${scheme}://${hostModel}${portModel}$`);
        const whole = `${origin.scheme}://${origin.host}${origin.port || own}`;
        const text = `${entry.scheme === undefined ? "" : `${entry.scheme}://`}${subdomains ? "*." : ""}${host}${port}`;
        const sent = `${origin.scheme}://${origin.host}${origin.port}`;
        expect(fits(text, sent), `${text} for ${sent}`).toBe(model.test(whole));
      }),
      { numRuns: 5000 },
    );
  });

  test.each([
    ["https://app.example.com", "https://app.example.com", true],
    ["https://app.example.com", "http://app.example.com", false],
    ["https://app.example.com", "https://app.example.com:8443", false],
    ["https://app.example.com", "https://app.example.com.evil.test", false],
    ["https://*.example.com", "https://a.b.example.com", true],
    ["https://*.example.com", "https://example.com", false],
    ["https://*.example.com", "https://notexample.com", false],
    ["example.com", "http://example.com", true],
    ["example.com:443", "https://example.com", true],
    ["localhost:3000", "http://localhost:3000", true],
    ["http://localhost:*", "http://localhost:5173", true],
    ["http://localhost:*", "http://localhost", true],
    ["http://127.0.0.1", "http://127.0.0.1", true],
    ["http://[::1]:8080", "http://[::1]:8080", true],
    ["https://bücher.example", "https://xn--bcher-kva.example", true],
    ["chrome-extension://abcdef", "chrome-extension://abcdef", true],
    ["https://example.com", "null", false],
    ["https://example.com", "", false],
    ["https://example.com", "https://example.com/", false],
  ])("%s, %s: %s", (entry, origin, expected) => {
    expect(fits(entry, origin)).toBe(expected);
  });
});

test.each([
  ["HTTPS://App.Example.com/", "https://app.example.com"],
  ["https://example.com:443", "https://example.com"],
  ["http://example.com:080", "http://example.com"],
  ["example.com:443", "example.com:443"],
  ["https://*.bücher.example", "https://*.xn--bcher-kva.example"],
  ["http://[0:0::1]", "http://[::1]"],
])("the canonical form of %s is %s", (entry, canonical) => {
  const pattern = parseOriginPattern(entry);
  expect(pattern && formatOriginPattern(pattern)).toBe(canonical);
});

test.each([
  "",
  "*",
  "null",
  "NULL",
  "https://",
  "https://*",
  "https://example.com/app",
  "https://example.com?x",
  "https://user@example.com",
  "https://a.*.com",
  "https://*.127.0.0.1",
  "https://*.[::1]",
  "https://example.com:65536",
  "https://example.com:",
  "https://exa mple.com",
  "https://%65xample.com",
  `https://${"a".repeat(300)}`,
])("%j is no origin", (entry) => {
  expect(parseOriginPattern(entry)).toBeUndefined();
});
