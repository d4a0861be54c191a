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

/** Some 60 MB that are alive, each part of which is replaced when it is old. Prints the most that is old. */
const TURNOVER = `
  import { getHeapSpaceStatistics } from "node:v8";
  const kept = new Map();
  let most = 0;
  for (let made = 0; made < 5_000_000; made += 1) {
    kept.set(made % 400_000, { made, pair: [made, made] });
    if (made % 20_000 !== 0) continue;
    const old = getHeapSpaceStatistics().find((space) => space.space_name === "old_space");
    most = Math.max(most, old.space_size);
    await new Promise((resolve) => setImmediate(resolve));
  }
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

test("the old generation stays below twice what is alive, where V8 by itself lets it grow further", async () => {
  const [own, v8s] = await Promise.all([printed(PREPARED + TURNOVER), printed(TURNOVER)]);
  expect(own).toBeLessThan(0.7 * v8s);
});
