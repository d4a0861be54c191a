import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wantedCodings } from "./accept-encoding.ts";

describe("an Accept-Encoding names what may be sent, best first:", () => {
  test.each<[string | undefined, string]>([
    [undefined, ""],
    ["", ""],
    ["gzip", "gzip"],
    ["GZip", "gzip"],
    ["x-gzip", "gzip"],
    ["gzip, deflate", "gzip"],
    ["gzip,deflate,br,zstd", "zstd br gzip"],
    ["gzip, br", "br gzip"],
    [", gzip ,, ", "gzip"],
    ["\tgzip \t;\t q=1.000\t", "gzip"],
    ["gzip;Q=0.5, br;q=0.50", "br gzip"],
    ["gzip;q=0.9, br;q=0.899", "gzip"],
    ["zstd;q=0.001", "zstd"],
    ["gzip;q=1., br;q=0.", "gzip"],
    ["gzip;q=0", ""],
    ["gzip;q=0.000, zstd", "zstd"],
    ["gzip;q=0, gzip", "gzip"],
    ["gzip, x-gzip;q=0", ""],
    ["*", "gzip"],
    ["*;q=0", ""],
    ["gzip;q=0, *", ""],
    ["br, *;q=0.5", "br"],
    ["br;q=0.5, *", "gzip"],
    ["deflate, compress", ""],
    ["identity", ""],
    ["identity;q=0", ""],
    ["identity;q=0, gzip", "gzip"],
    ["identity, gzip;q=0.5", ""],
    ["identity;q=0.5, gzip;q=0.5", "gzip"],
    ["identity;q=0.5, *;q=0.2", ""],
    ["gzip;q=1.1", ""],
    ["gzip;q=0.0001", ""],
    ["gzip;q=-1", ""],
    ["gzip;q=", ""],
    ["gzip;q=.5", ""],
    ["gzip; q = 1", ""],
    ["gzip;level=9", ""],
    ["gzip;q=1;q=0", ""],
    ["gzip br", ""],
    ["gzip, b@r", ""],
    ["gzip; ", ""],
    ['"gzip"', ""],
  ])("%j", (accepted, wanted) => {
    expect(wantedCodings(accepted).join(" ")).toBe(wanted);
  });
});

test("no coding with a weight below another's, or of 0, is ever wanted", () => {
  const weight = fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000);
  const weights = fc.record({ gzip: weight, br: weight, zstd: weight, identity: weight });
  fc.assert(
    fc.property(weights, (given) => {
      const accepted = Object.entries(given).map(([name, q]) => `${name};q=${q}`);
      const most = Math.max(given.gzip, given.br, given.zstd);
      const best = (["zstd", "br", "gzip"] as const).filter((name) => given[name] === most);
      const none = most === 0 || given.identity > most;
      expect(wantedCodings(accepted.join(","))).toEqual(none ? [] : best);
    }),
  );
});

test("any text is read in no time", () => {
  fc.assert(fc.property(fc.string(), (text) => wantedCodings(text).length <= 3));
  const longest = `gzip${" \t;q=0".repeat(2700)}`;
  expect(wantedCodings(longest)).toEqual([]);
});
