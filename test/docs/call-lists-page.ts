/** `node test/docs/call-lists-page.ts`: writes docs/call-lists.md anew. */
import { writeFileSync } from "node:fs";
import { rankOf } from "../support/layers.ts";
import { setup } from "../support/run-folder.ts";
import { type CallList, recordCallLists } from "./call-lists.ts";

const PAGE = "docs/call-lists.md";

/** Every folder of the lists once. */
const REASONS: readonly (readonly [folders: readonly string[], reason: string])[] = [
  [
    ["wire/"],
    "HTTP to the byte in one read and one write; turns, so that no client holds up others; who may hold how much",
  ],
  [
    ["jsonrpc/"],
    "one pass over the bytes of the call that keeps the texts of its params as they came",
  ],
  [
    ["gateway/", "app.ts"],
    "the way itself, a function a step: who calls, what it may, what it costs, what it gets",
  ],
  [["access/"], "the key, its end and its last use"],
  [
    ["credits/"],
    "what is held before the call and settled after it: per second and per day, of key and account",
  ],
  [["methods/"], "the definition, and a check of each parameter with go-ethereum's words"],
  [
    ["networks/"],
    "which block is meant, whether it is known, final or pending, and what the answer is kept by",
  ],
  [["cache/"], "whether the answer is kept, and what is worth keeping"],
  [
    ["routing/", "upstreams/"],
    "which node is asked, for how long, when a second one; what its answer tells of it",
  ],
  [
    ["transports/", "failures/"],
    "the node's JSON-RPC: the request with an id of our own, the edges of the result, what failed",
  ],
  [["usage/", "telemetry/"], "what was served to whom, and the numbers of the admin port"],
  [["lib/"], "the clock, deadlines, bytes, bounds of memory"],
];
const isGetter = (name: string): boolean => name.startsWith("get ");
/** V8 names a class's fields and its constructor so. */
const isConstructor = (name: string): boolean =>
  name === "<instance_members_initializer>" || /^[A-Z]/.test(name);

const removeFolder = setup();
const { hit, miss } = await recordCallLists();
removeFolder();
const told = REASONS.flatMap(([folders]) => folders);
for (const file of [...hit.keys(), ...miss.keys()]) {
  if (!told.some((folder) => file.startsWith(folder))) throw new Error(`no reason for ${file}`);
}
writeFileSync(
  PAGE,
  `# Call lists

Every file and function of \`src/\` that one call runs, as V8's coverage tells: what all of six calls have, over one plain
connection to a gateway that has served some. \`node test/docs/call-lists-page.ts\` writes this page, and a test holds its files
against a new recording. [life-of-a-call.md](life-of-a-call.md) says what they do.

## Why they are so long

Files and functions, and what they are there for:

${reasonsTable()}

Nearly each of these functions does one thing that a promise of the gateway names. Of those of a kept answer
${share(hit, isGetter)} are getters and ${share(hit, isConstructor)} make an object; the compiler puts most of them where they are
used. Some hand on what another gave: a read goes through five before it is looked at, since TLS reads otherwise, reads take turns,
and the clock stands still meanwhile. To have half as many, rules would have to stand in one function with others: the bound of a
second with the balance of a day, a block's tag with its number. Each stands alone, so that its test is beside it, and a call walks
through them in a straight line: the steps of \`src/gateway/pipeline.ts\` name them in their order.

## A kept answer

\`eth_getBlockByNumber\` of a block that was asked for before: ${sumOf(hit)}.

${tableOf(hit)}

## A call that a node answers

\`eth_call\` of \`latest\`, asked for the first time: ${sumOf(miss)}.

${tableOf(miss)}
`,
);

function reasonsTable(): string {
  const rows = REASONS.map(([folders, reason]) => {
    const names = folders.map((folder) => `\`${folder}\``).join(", ");
    return `| ${names} | ${countIn(hit, folders)} | ${countIn(miss, folders)} | ${reason} |`;
  });
  return ["| folders | kept | asked | why |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

function countIn(list: CallList, folders: readonly string[]): string {
  const own = [...list].filter(([file]) => folders.some((folder) => file.startsWith(folder)));
  const functions = own.reduce((sum, [, names]) => sum + names.length, 0);
  return own.length === 0 ? "-" : `${own.length}, ${functions}`;
}

function share(list: CallList, isOne: (name: string) => boolean): number {
  return [...list.values()].flat().filter(isOne).length;
}

function sumOf(list: CallList): string {
  const functions = [...list.values()].reduce((sum, names) => sum + names.length, 0);
  return `${list.size} files, ${functions} functions`;
}

function tableOf(list: CallList): string {
  const files = [...list.keys()].sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
  const rows = files.map((file) => `| \`src/${file}\` | ${namesIn(list.get(file) ?? [])} |`);
  return ["| file | functions |", "| --- | --- |", ...rows].join("\n");
}

/** Each once, with how many of that name there are. */
function namesIn(names: readonly string[]): string {
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  return [...times].map(([name, count]) => (count > 1 ? `${name} (${count})` : name)).join(", ");
}
