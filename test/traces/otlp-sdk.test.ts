import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeSpans, requestFrame, type Span } from "../../src/telemetry/traces/otlp-json.ts";
import { otlpOf } from "../outside/otlp-spans.ts";

const SERVICE = { "service.name": "tollgate", "service.version": "0.1.0", "host.name": "here" };
const SCOPE = { name: "tollgate", version: "0.1.0" };

const hex = (digits: number) =>
  fc
    .array(fc.integer({ min: 0, max: 15 }), { minLength: digits, maxLength: digits })
    .map((each) => each.map((one) => one.toString(16)).join(""))
    .filter((text) => /[^0]/.test(text));
const value = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const span: fc.Arbitrary<Span> = fc
  .record({
    traceId: hex(32),
    spanId: hex(16),
    parentSpanId: fc.option(hex(16), { nil: undefined }),
    isRemote: fc.boolean(),
    name: fc.stringMatching(/^[a-zA-Z][\w ]*$/),
    kind: fc.constantFrom(1, 2, 3),
    beganMs: fc.double({ min: 1.6e12, max: 2.5e12, noNaN: true }),
    lastsMs: fc.double({ min: 0, max: 100_000, noNaN: true }),
    attributes: fc.dictionary(fc.stringMatching(/^[a-z][\w.]*$/), value),
    isError: fc.boolean(),
  })
  .map(({ isRemote, lastsMs, ...rest }) => ({
    ...rest,
    isParentRemote: isRemote && rest.parentSpanId !== undefined,
    endedMs: rest.beganMs + lastsMs,
  }));

/** As protobuf's JSON allows: without empty lists and counts of 0 that the SDK writes. */
const withoutDefaults = (sent: unknown): unknown =>
  JSON.parse(
    JSON.stringify(sent, (key, held) =>
      (/^dropped.*Count$/.test(key) && held === 0) ||
      (["events", "links"].includes(key) && Array.isArray(held) && held.length === 0)
        ? undefined
        : held,
    ),
  );

test("spans are sent as OpenTelemetry's own SDK sends the same ones", () => {
  const [before, behind] = requestFrame(SERVICE, SCOPE);
  fc.assert(
    fc.property(fc.array(span, { minLength: 1, maxLength: 5 }), (spans) => {
      const own = JSON.parse(`${before}${encodeSpans(spans)}${behind}`);
      expect(withoutDefaults(own)).toEqual(withoutDefaults(otlpOf(spans, SERVICE, SCOPE)));
    }),
  );
});
