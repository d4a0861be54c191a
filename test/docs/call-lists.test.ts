import { expect, test } from "vitest";
import { read } from "./blocks.ts";
import { type CallList, recordCallLists } from "./call-lists.ts";

/** Timers tick beside a call on a busy machine. */
const isOfCall = (file: string): boolean => !file.startsWith("src/lib/");

test("docs/call-lists.md has the files that a kept answer and a forwarded call run through", async () => {
  const [, , hit = "", miss = ""] = read("docs/call-lists.md").split(/^## /m);
  const told = (part: string) =>
    [...part.matchAll(/^\| `(src\/[^`]+)` \|/gm)].map(([, file = ""]) => file).filter(isOfCall);
  const found = (list: CallList) => [...list.keys()].map((file) => `src/${file}`).filter(isOfCall);
  const lists = await recordCallLists();
  const how = "run: node test/docs/call-lists-page.ts";
  expect(found(lists.hit).toSorted(), how).toEqual(told(hit).toSorted());
  expect(found(lists.miss).toSorted(), how).toEqual(told(miss).toSorted());
});
