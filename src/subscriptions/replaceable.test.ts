import { expect, test } from "vitest";
import { Replaceable } from "./replaceable.ts";

class Source {
  readonly followers = new Set<() => void>();
  follow(changed: () => void): () => void {
    this.followers.add(changed);
    return () => this.followers.delete(changed);
  }
  change(): void {
    for (const changed of this.followers) changed();
  }
}

test("who follows is told by the source that is there now, and once when it is replaced", () => {
  const [old, next] = [new Source(), new Source()];
  const source = new Replaceable(old, (one, changed) => one.follow(changed));
  let told = 0;
  const stop = source.follow(() => {
    told += 1;
  });
  old.change();
  expect(told).toBe(1);
  source.replace(next);
  expect([source.now, told, old.followers.size]).toEqual([next, 2, 0]);
  next.change();
  expect(told).toBe(3);
  stop();
  expect(next.followers.size).toBe(0);
  source.replace(old);
  expect([told, old.followers.size]).toEqual([3, 0]);
});
