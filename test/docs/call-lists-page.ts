/** `node test/docs/call-lists-page.ts`: writes docs/call-lists.md anew. */
import { writeFileSync } from "node:fs";
import { rankOf } from "../support/layers.ts";
import { setup } from "../support/run-folder.ts";
import { type CallList, recordCallLists } from "./call-lists.ts";

const PAGE = "docs/call-lists.md";

const removeFolder = setup();
const { hit, miss } = await recordCallLists();
removeFolder();
writeFileSync(
  PAGE,
  `# Call lists

Every file and function of \`src/\` that one call runs, as V8's coverage tells: what all of six calls have, over one plain
connection to a gateway that has served some. \`node test/docs/call-lists-page.ts\` writes this page, and a test holds its files
against a new recording. [life-of-a-call.md](life-of-a-call.md) says what they do.

## A kept answer

\`eth_getBlockByNumber\` of a block that was asked for before: ${sumOf(hit)}.

${tableOf(hit)}

## A call that a node answers

\`eth_call\` of \`latest\`, asked for the first time: ${sumOf(miss)}.

${tableOf(miss)}
`,
);

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
