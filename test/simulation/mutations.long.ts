import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, "../..");
const MOST_SCHEDULES = 1500;

/** A fault in what keeps answers of replaced blocks from clients. */
type Mutation = {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
};

const DROP = "kept.dropAbove(commonAncestor);";
const ANSWERS = "src/networks/answers.ts";
const FORKS = "src/networks/evm/fork-choice.ts";
const VIEW = "src/networks/evm/head-view.ts";
const KEPT = "src/networks/evm/kept-block.ts";

const MUTATIONS: readonly Mutation[] = [
  { name: "nothing is dropped", file: ANSWERS, from: DROP, to: "void kept;" },
  {
    ...{ name: "one block too few is dropped", file: ANSWERS, from: DROP },
    to: "kept.dropAbove(commonAncestor + 1);",
  },
  {
    ...{ name: "reorganisations are not counted for calls in the air", file: ANSWERS },
    ...{ from: "this.#epoch += 1;", to: "" },
  },
  {
    ...{ name: "the index drops one block too few", file: "src/cache/block-index.ts" },
    ...{ from: "other > block; other--", to: "other > block + 1; other--" },
  },
  {
    ...{ name: "answers that pass are not dropped", file: "src/cache/memory-cache.ts" },
    ...{ from: "this.#passing.dropAbove(block, this.#remove);", to: "" },
  },
  {
    ...{ name: "the common ancestor that is told is one too high", file: VIEW },
    ...{ from: "commonAncestor: kept, from", to: "commonAncestor: kept + 1, from" },
  },
  {
    ...{ name: "the ancestor of the chosen fork is one too high", file: FORKS },
    from: "if (replaces) kept = Math.min(kept, branch.ancestor);",
    to: "if (replaces) kept = Math.min(kept, branch.ancestor + 1);",
  },
  {
    ...{ name: "an answer of a node that told of nothing is kept", file: KEPT },
    ...{ from: "known !== undefined && chain.hasTold(upstream, block);", to: "true;" },
  },
  {
    ...{ name: "hashes are not compared", file: KEPT },
    ...{
      from: "return chain.confirms(upstream, block, textIn(result, shows));",
      to: "return true;",
    },
  },
];

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "tollgate-mutations-"));
  for (const name of ["src", "test/simulation", "package.json"]) {
    await cp(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  }
  await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function firstViolation(): Promise<number> {
  const program = path.join(folder, "test/simulation/first-violation.ts");
  const { stdout } = await run(process.execPath, [program, String(MOST_SCHEDULES)]);
  return stdout === "" ? Number.POSITIVE_INFINITY : Number(stdout);
}

test("the schedules find no fault in the code as it is", async () => {
  expect(await firstViolation()).toBe(Number.POSITIVE_INFINITY);
});

test.each(MUTATIONS)(
  `within ${MOST_SCHEDULES} schedules it is found that $name`,
  async ({ file, from, to }) => {
    const code = path.join(folder, file);
    const right = await readFile(code, "utf8");
    expect(right.split(from)).toHaveLength(2);
    try {
      await writeFile(code, right.replace(from, to));
      expect(await firstViolation()).toBeLessThanOrEqual(MOST_SCHEDULES);
    } finally {
      await writeFile(code, right);
    }
  },
);
