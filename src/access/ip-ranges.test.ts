import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatIp, formatIpRange, isInRange, parseIp, parseIpRange } from "./ip-ranges.ts";

/** The model: an address is a family and one whole number, written out by hand. */
type Model = { readonly family: 4 | 6; readonly value: bigint };

const MAPPED = 0xffffn << 32n;
const isMapped = ({ family, value }: Model): boolean => family === 6 && value >> 32n === 0xffffn;
const asMeant = (model: Model): Model =>
  isMapped(model) ? { family: 4, value: model.value - MAPPED } : model;

function written({ family, value }: Model): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");
  const groups = [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map(
    (shift) => (value >> shift) & 0xffffn,
  );
  return groups.map((group) => group.toString(16)).join(":");
}

function contains(range: Model, bits: number, address: Model): boolean {
  const wide = range.family === 6 && bits < 96;
  const mapped = asMeant({ ...range, value: cut(range, bits) });
  const base = wide ? range : mapped;
  const length = !wide && range.family === 6 && mapped.family === 4 ? bits - 96 : bits;
  const meant = asMeant(address);
  return base.family === meant.family && cut(base, length) === cut(meant, length);
}

function cut({ family, value }: Model, bits: number): bigint {
  const rest = BigInt((family === 4 ? 32 : 128) - bits);
  return (value >> rest) << rest;
}

const v4 = fc
  .bigInt({ min: 0n, max: 2n ** 32n - 1n })
  .map((value): Model => ({ family: 4, value }));
const v6 = fc
  .bigInt({ min: 0n, max: 2n ** 128n - 1n })
  .map((value): Model => ({ family: 6, value }));
const mapped = v4.map(({ value }): Model => ({ family: 6, value: value + MAPPED }));
const anyIp = fc.oneof(v4, v6, mapped);

/** A range and an address that is near it more often than not. */
const pair = anyIp.chain((range) => {
  const width = range.family === 4 ? 32 : 128;
  return fc.record({
    range: fc.constant(range),
    bits: fc.integer({ min: 0, max: width }),
    address: fc.oneof(
      anyIp,
      fc
        .integer({ min: 0, max: width - 1 })
        .map((place): Model => ({ ...range, value: range.value ^ (1n << BigInt(place)) })),
      fc.constant(range),
      fc.constant(asMeant(range)),
    ),
  });
});

describe("an address is in a range", () => {
  test("exactly where whole numbers say so, of both families and of mapped addresses", () => {
    fc.assert(
      fc.property(pair, ({ range, bits, address }) => {
        const parsed = parseIpRange(`${written(range)}/${bits}`);
        const ip = parseIp(written(address));
        if (parsed === undefined || ip === undefined) throw new Error("was not read");
        expect(isInRange(ip, parsed)).toBe(contains(range, bits, address));
      }),
      { numRuns: 5000 },
    );
  });

  test("whichever way both are written", () => {
    const same = [
      ["::ffff:10.1.2.3", "10.0.0.0/8"],
      ["10.1.2.3", "::ffff:10.0.0.0/104"],
      ["::ffff:a01:203", "10.1.2.3"],
      ["2001:DB8::1", "2001:db8:0::/32"],
      ["fe80::1%eth0", "fe80::/10"],
      ["::1", "::1"],
      ["64:ff9b::10.1.2.3", "64:ff9b::a01:203"],
    ];
    for (const [address = "", range = ""] of same) {
      const [ip, parsed] = [parseIp(address), parseIpRange(range)];
      expect(ip && parsed && isInRange(ip, parsed), `${address} in ${range}`).toBe(true);
    }
  });

  test("a range of all IPv6 addresses has no IPv4 address, mapped or not", () => {
    const all = parseIpRange("::/0");
    for (const text of ["10.1.2.3", "::ffff:10.1.2.3"]) {
      const ip = parseIp(text);
      expect(ip && all && isInRange(ip, all)).toBe(false);
    }
  });
});

describe("the canonical form", () => {
  test("of an address or a range reads as the same one, and as itself", () => {
    fc.assert(
      fc.property(pair, ({ range, bits, address }) => {
        const parsed = parseIpRange(`${written(range)}/${bits}`);
        if (parsed === undefined) throw new Error("was not read");
        expect(parseIpRange(formatIpRange(parsed))).toEqual(parsed);
        const ip = parseIp(written(address)) ?? [];
        expect(parseIp(formatIp(ip))).toEqual(ip);
      }),
    );
  });

  test.each([
    ["10.1.2.3/8", "10.0.0.0/8"],
    ["10.1.2.3/32", "10.1.2.3"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["2001:0DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["FD00::/8", "fd00::/8"],
    ["::ffff:10.1.2.3", "10.1.2.3"],
    ["::ffff:10.1.2.3/104", "10.0.0.0/8"],
    ["::ffff:0:0/90", "::ffc0:0:0/90"],
    ["::/0", "::/0"],
  ])("of %s is %s", (text, canonical) => {
    const range = parseIpRange(text);
    expect(range && formatIpRange(range)).toBe(canonical);
  });
});

test.each([
  "",
  "10.0.0",
  "010.0.0.1",
  "10.0.0.256",
  "10.0.0.0/33",
  "10.0.0.0/",
  "10.0.0.0/-1",
  "10.0.0.0/8/8",
  "fd00::/129",
  "fe80::1%eth0",
  "1::2::3",
  "localhost",
  " 10.0.0.1",
])("%j is no range", (text) => {
  expect(parseIpRange(text)).toBeUndefined();
});
