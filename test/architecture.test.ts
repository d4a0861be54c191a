import { globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { LAYERS, partOf, rankOf } from "./support/layers.ts";

test("every folder and file of src stands once in the list of layers", () => {
  expect(LAYERS.flat().toSorted()).toEqual(readdirSync("src").toSorted());
});

for (const file of globSync("src/**/*.ts", { exclude: ["**/*.test.ts"] })) {
  test(`${file} imports downwards only`, () => {
    const source = readFileSync(file, "utf8");
    const from = relative("src", file);
    for (const [, specifier = ""] of source.matchAll(/(?:from|import\() ?"(\.[^"]+)"/g)) {
      const to = relative("src", join(dirname(file), specifier));
      const sameFolder = partOf(to) === partOf(from) && from.includes("/");
      expect(sameFolder || rankOf(to) > rankOf(from), `${from} must not import ${to}`).toBe(true);
    }
  });
}

/** What one reader looks over in one go; a longer file is two things. */
const MOST_LINES = 300;

test("no file of src is longer than its readers' patience", () => {
  const files = globSync("src/**/*.ts", { exclude: ["**/*.test.ts"] });
  const long = files.filter(
    (file) => readFileSync(file, "utf8").split("\n").length > MOST_LINES + 1,
  );
  expect(long).toEqual([]);
});

/** The one file that may use what Node does not document; it has a way without each of it. */
const INSIDE = "src/wire/node-inside.ts";
const UNDOCUMENTED =
  /process\.binding|\.binding\b|[.?]\s*_(?!_)[a-z]\w*|\b_(?:handle|httpMessage|unrefTimer)\b|\bkOnHeaders|"node:internal/;
/** Built-in types whose values tell nothing of what happened before, or hold what they are given here. */
const STATELESS = /^(?:RegExp|URL|TextDecoder|TextEncoder|Intl\.\w+|Error|DataView|\w+Array)$/;
/** Caches of the module's own results, whose keys and places say all that is in them. */
const CACHES: readonly string[] = ["src/wire/bytes/read-buffer.ts", "src/block-files/base58.ts"];

/** What stands at the beginning of a line of the module itself, and changes while the program runs. */
function stateAtTop(source: string): string[] {
  const found: string[] = [];
  for (const [line, keyword = "", made = "", given = ""] of source.matchAll(
    /^(?:export )?(let|var|const) [^=\n]+(?:=\s*(?:new ([\w.]+)(?:<[^\n]*?>)?\(([^\n]?)|\[\]|\{\}))?/gm,
  )) {
    const isEmpty = /=\s*(?:\[\]|\{\})$/.test(line);
    const isMade = made !== "" && !STATELESS.test(made);
    // A set or a table that is given its contents here is a constant.
    const isConstant =
      /^(?:Map|Set)$/.test(made) && (given !== ")" || /: Readonly(?:Map|Set)</.test(line));
    if (keyword !== "const" || isEmpty || (isMade && !isConstant)) found.push(line);
  }
  return found;
}

test("state at the top of a module is found, and constants are not", () => {
  const state = ["let last = 0;", "var a;", "const seen = new Map<string, number>();"];
  const more = ["export const loop = new EventLoop();", "const list: string[] = [];"];
  for (const line of [...state, ...more]) expect(stateAtTop(`${line}\n`), line).toHaveLength(1);
  const constants = [
    'const A = new Set(["a"]);',
    "const N: ReadonlySet<1> = new Set();",
    "const B = new Int32Array(4);",
    "const C = 1;",
  ];
  for (const line of constants) expect(stateAtTop(`${line}\n`), line).toEqual([]);
});

for (const file of globSync("src/**/*.ts", { exclude: ["**/*.test.ts"] })) {
  if (file === INSIDE) continue;
  test(`${file} keeps no state of its own and uses only what Node documents`, () => {
    const source = readFileSync(file, "utf8");
    const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    expect(UNDOCUMENTED.exec(code)?.[0]).toBeUndefined();
    if (!CACHES.includes(file)) expect(stateAtTop(code)).toEqual([]);
  });
}

/** Who puts parts together, and so hands them the clock, the timers and the randomness of the system. */
const ASSEMBLERS: readonly string[] = [
  ...["src/app.ts", "src/wire/event-loop.ts", "src/credits/scheduler.ts"],
  // Processes and threads of their own.
  ...["src/workers/start-workers.ts", "src/workers/worker.ts", "src/block-files/worker.ts"],
  ...["src/console/process.ts", "src/console/start-console.ts"],
  ...["src/storage/sqlite/client.ts", "src/storage/sqlite/worker.ts"],
  "src/storage/postgres/client.ts",
  // What they hand out.
  ...["src/lib/clock.ts", "src/lib/patient-interval.ts"],
];
const isAssembler = (file: string): boolean =>
  ASSEMBLERS.includes(file) || /^src\/(?:commands|dev)\//.test(file);

/** Clocks, timers and randomness of Node, and those of ours that stand for them. A socket's own timeout is none. */
const AMBIENT = new RegExp(
  [
    String.raw`\bDate\.now\b|\bnew Date\(\)|\bperformance\b|\bhrtime\b|\buptime\b`,
    String.raw`(?<![.\w"])set(?:Timeout|Interval)\b`,
    String.raw`\bMath\.random\b|\brandom(?:Bytes|UUID|Int|Fill\w*)\b|\bgetRandomValues\b`,
    String.raw`\b(?:systemClock|systemTimers|systemScheduler|sharedMonotonic|patientInterval)\b`,
  ].join("|"),
);

test("a clock, a timer and randomness that were not handed in are found", () => {
  const found = ["Date.now()", "new Date()", "performance.now()", "setTimeout(run, 5)"];
  const more = ["setInterval(run, 5)", "Math.random()", "randomBytes(6)", "systemClock.now()"];
  for (const code of [...found, ...more]) expect(AMBIENT.test(code), code).toBe(true);
  const others = ["socket.setTimeout(5)", "clock.now()", "new Date(clock.now())", "random(6)"];
  for (const code of others) expect(AMBIENT.test(code), code).toBe(false);
});

for (const file of globSync("src/**/*.ts", { exclude: ["**/*.test.ts"] })) {
  if (isAssembler(file)) continue;
  test(`${file} takes time and randomness from whoever makes its parts`, () => {
    const code = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    expect(AMBIENT.exec(code)?.[0]).toBeUndefined();
  });
}

/** What Node loads for a file before it runs anything: its packages, and those of the files that it imports. */
function packagesOf(file: string, seen = new Set<string>()): Set<string> {
  const packages = new Set<string>();
  if (seen.has(file)) return packages;
  seen.add(file);
  const source = readFileSync(file, "utf8");
  for (const [, from = ""] of source.matchAll(
    /^(?:import|export) (?!type )[^;]*?from "([^"]+)";/gm,
  )) {
    if (from.startsWith(".")) {
      const found = packagesOf(join(dirname(file), from), seen);
      for (const name of found) packages.add(name);
    } else packages.add(from.split("/")[0] ?? "");
  }
  return packages;
}

test("no command but those that need them loads the dashboard's packages, or PostgreSQL's", () => {
  const program = packagesOf("src/commands/program.ts");
  expect([...program]).toContain("commander");
  for (const name of ["better-auth", "kysely", "pg", "fastify"]) {
    expect(program.has(name), name).toBe(false);
  }
  expect(packagesOf("src/commands/storage/copy.ts").has("better-auth")).toBe(true);
});
