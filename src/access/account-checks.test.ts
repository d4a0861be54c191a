import { expect, test } from "vitest";
import {
  creditsForm,
  emailFault,
  isCredits,
  keyNameFault,
  planFault,
  readDate,
  readOverlap,
} from "./account-checks.ts";

test("a fault says what would be right, and what is right has none", () => {
  expect(emailFault("Ada@example.com")).toBeUndefined();
  expect(emailFault("ada@")).toBe('"ada@" is no e-mail address; one looks like ada@example.com');
  expect(keyNameFault("back end, é")).toBeUndefined();
  expect(keyNameFault("two\nlines")).toContain("1 to 100 printable characters");
  expect(keyNameFault("tg_6abcd1234567890")).toBe("a key's name must not hold a key");
  const plans = { free: {}, growth: {} };
  expect(planFault(plans, "growth")).toBeUndefined();
  for (const plan of ["gold", "constructor", "__proto__"]) {
    expect(planFault(plans, plan)).toContain("; the plans are free, growth");
  }
});

test("credits are whole, and neither too few nor too many", () => {
  for (const credits of [1, 3_000_000, 1_000_000_000_000]) expect(isCredits(credits, 1)).toBe(true);
  for (const credits of [0, -1, 1.5, 1_000_000_000_001, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(isCredits(credits, 1)).toBe(false);
  }
  expect(isCredits(0, 0)).toBe(true);
  expect(creditsForm(1)).toBe("give a whole number from 1 to 1,000,000,000,000, such as 3000000");
});

test("a date is the beginning of its day in UTC, and one that no month has is none", () => {
  expect(readDate("2026-12-31")).toEqual({ value: Date.UTC(2026, 11, 31) });
  for (const text of ["2026-02-30", "2026-13-01", "31.12.2026", "2026-12-31T00:00", ""]) {
    expect(readDate(text)).toEqual({ fault: expect.stringContaining("looks like 2026-12-31") });
  }
});

test("an overlap is a duration of a year at most", () => {
  expect(readOverlap("24h")).toEqual({ value: 86_400_000 });
  expect(readOverlap("0s")).toEqual({ value: 0 });
  for (const text of ["366d", "2y", "1", "-1h", ""]) {
    expect(readOverlap(text)).toEqual({ fault: expect.stringContaining("1y at most") });
  }
});
