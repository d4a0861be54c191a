import { execFile } from "node:child_process";
import process from "node:process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const MEGABYTE = 1_048_576;
/** What much of survives: arrays and objects that are dropped after a while. Prints the most that is young. */
const CHURN = `
  import { getHeapSpaceStatistics } from "node:v8";
  let kept = [];
  let most = 0;
  for (let made = 0; made < 8_000_000; ) {
    for (let n = 0; n < 3000; n += 1, made += 1) kept.push({ made, pair: [made, n] });
    if (kept.length > 200_000) kept = kept.slice(100_000);
    const young = getHeapSpaceStatistics().find((space) => space.space_name === "new_space");
    most = Math.max(most, young.space_size);
    await new Promise((resolve) => setImmediate(resolve));
  }
  console.log(most);
`;

/** Some 80 MB that are alive after there were more, each part of which is replaced when it is old. Prints the most that is old. */
const TURNOVER = `
  import { getHeapSpaceStatistics } from "node:v8";
  const kept = new Map();
  let most = 0;
  const turnOver = async (alive, times) => {
    for (let made = 0; made < times; made += 1) {
      kept.set(made % alive, { made, pair: [made, made] });
      if (made % 20_000 !== 0) continue;
      const old = getHeapSpaceStatistics().find((space) => space.space_name === "old_space");
      most = Math.max(most, old.space_size);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await turnOver(1_500_000, 1_500_000);
  for (let at = 400_000; at < 1_500_000; at += 1) kept.delete(at);
  await turnOver(400_000, 4_000_000);
  console.log(most);
`;

const PREPARED = `import { prepareProcess } from ${JSON.stringify(new URL("own-process.ts", import.meta.url).href)};
  prepareProcess();`;

async function printed(program: string): Promise<number> {
  const args = ["--input-type=module", "-e", program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(stdout);
}

test("the young generation stays at 64 MB, where V8 by itself mostly lets it grow to 128", async () => {
  expect(await printed(PREPARED + CHURN)).toBeLessThan(72 * MEGABYTE);
});

test("the old generation stays at 144 MB or half more than what is alive, where V8 by itself goes to 270 to 760", async () => {
  expect(await printed(PREPARED + TURNOVER)).toBeLessThan(250 * MEGABYTE);
});
