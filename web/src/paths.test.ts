import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matchRoute, safePath } from "./paths.ts";

const ORIGIN = "https://dashboard.example.com";

describe("safePath", () => {
  test("a path of this site is kept with its query", () => {
    expect(safePath("/usage?range=7d", ORIGIN)).toBe("/usage?range=7d");
  });

  test.each([
    null,
    "",
    "usage",
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example/",
    "/\t/evil.example/",
    "/.//evil.example/",
    "/x/..//evil.example/",
    "javascript:alert(1)",
  ])("%j leads to the first page, not to another site", (text) => {
    expect(safePath(text, ORIGIN)).toBe("/");
  });

  test("whatever the text, the path stays on this site", () => {
    const nasty = fc.string({ unit: fc.constantFrom(..."/\\.:@?#%\t\n abc") });
    fc.assert(
      fc.property(fc.oneof(fc.string(), nasty), (text) => {
        const path = safePath(`/${text}`, ORIGIN);
        expect(new URL(path, ORIGIN).origin).toBe(ORIGIN);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("matchRoute", () => {
  const routes = [{ path: "/" }, { path: "/keys" }, { path: "/accounts/:id" }];

  test("a name takes one segment, decoded", () => {
    expect(matchRoute(routes, "/accounts/acc%5F1")?.params).toEqual({ id: "acc_1" });
  });

  test("a segment that cannot be decoded is taken as it is", () => {
    expect(matchRoute(routes, "/accounts/%E0%A4%A")?.params).toEqual({ id: "%E0%A4%A" });
  });

  test.each(["/key", "/keys/more", "/accounts", "/accounts/a/b"])("%s is no page", (path) => {
    expect(matchRoute(routes, path)).toBeUndefined();
  });

  test("the first page is at /", () => {
    expect(matchRoute(routes, "/")?.route.path).toBe("/");
  });
});
