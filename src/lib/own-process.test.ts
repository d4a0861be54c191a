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

async function mostYoung(before: string): Promise<number> {
  const args = ["--input-type=module", "-e", before + CHURN];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(stdout);
}

test("the young generation stays at 64 MB, where V8 by itself mostly lets it grow to 128", async () => {
  const file = new URL("own-process.ts", import.meta.url).href;
  const prepared = `import { prepareProcess } from ${JSON.stringify(file)};\nprepareProcess();`;
  expect(await mostYoung(prepared)).toBeLessThan(72 * MEGABYTE);
});
