import { describe, expect, test } from "vitest";
import { EVM_SNIPPETS } from "./evm.ts";
import { SLOT_SNIPPETS } from "./slot.ts";
import { fillSnippet } from "./snippet.ts";

const URL_WITH_KEY = "https://rpc.example.com/v3/tg_1234";

describe.each([...EVM_SNIPPETS, ...SLOT_SNIPPETS])("$family $id", (snippet) => {
  test("the address stands in it once, and no placeholder is left", () => {
    const code = fillSnippet(snippet, URL_WITH_KEY);
    expect(code.split(URL_WITH_KEY)).toHaveLength(2);
    expect(code).not.toContain("{url}");
  });

  test("a program that needs a file says how to start it", () => {
    expect(snippet.start === undefined).toBe(snippet.file === undefined);
    if (snippet.file !== undefined) expect(snippet.start).toContain(snippet.file);
  });
});

test("each family names a tool once", () => {
  for (const list of [EVM_SNIPPETS, SLOT_SNIPPETS]) {
    const ids = list.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  }
});
