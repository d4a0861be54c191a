import fc from "fast-check";
import { expect, test } from "vitest";
import { rememberLast } from "./remember-last.ts";

const texts = fc.array(fc.constantFrom("", "a", "b", "https://c.example"), { maxLength: 20 });

test("says of each text what the function says, and asks it only where the text changed", () => {
  fc.assert(
    fc.property(texts, (given) => {
      const asked: string[] = [];
      const judge = rememberLast((text) => {
        asked.push(text);
        return text.length;
      });
      expect(given.map(judge)).toEqual(given.map(({ length }) => length));
      expect(asked).toEqual(given.filter((text, index) => text !== given[index - 1]));
    }),
  );
});

test("remembers undefined, too", () => {
  let times = 0;
  const judge = rememberLast(() => {
    times += 1;
    return undefined;
  });
  expect([judge("a"), judge("a")]).toEqual([undefined, undefined]);
  expect(times).toBe(1);
});
