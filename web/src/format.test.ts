import { describe, expect, test } from "vitest";
import { formatBytes, formatMs, formatShare, formatShort, plural, shorten } from "./format.ts";

describe("numbers for people", () => {
  test("a share that is not zero never reads as zero", () => {
    expect(formatShare(0)).toBe("0 %");
    expect(formatShare(0.0001)).toBe("<0.1 %");
    expect(formatShare(0.023)).toBe("2.3 %");
    expect(formatShare(1)).toBe("100 %");
  });

  test("bytes keep three digits at most before the unit grows", () => {
    expect(formatBytes(1023)).toBe("1023 B");
    expect(formatBytes(1_468_006)).toBe("1.4 MiB");
    expect(formatBytes(150 * 1024)).toBe("150 KiB");
  });

  test("milliseconds become seconds", () => {
    expect(formatMs(0.42)).toBe("0.4 ms");
    expect(formatMs(23.4)).toBe("23 ms");
    expect(formatMs(1234)).toBe("1.2 s");
  });

  test("long numbers are shortened for small places alone", () => {
    expect(formatShort(9999)).toBe("9,999");
    expect(formatShort(3_000_000)).toBe("3M");
  });

  test("one thing has no plural", () => {
    expect(plural(1, "key")).toBe("1 key");
    expect(plural(0, "key")).toBe("0 keys");
  });

  test("a hash keeps its beginning and its end", () => {
    expect(shorten("0x0123456789abcdef0123", 11)).toBe("0x012…f0123");
    expect(shorten("short", 11)).toBe("short");
  });
});
