/** The reference of methods, made from their definitions. */
import { ERRORS, type ErrorName } from "../src/jsonrpc/errors.ts";
import type { Definition, OwnAnswer, Param } from "../src/methods/definition.ts";
import { exampleOf } from "../src/methods/example.ts";
import { FAMILIES, type Family } from "../src/methods/families.ts";
import { callSnippets } from "../web/src/snippets/call.ts";
import { DEV_NETWORKS, streamSnippet, twoCalls } from "./call-snippets.ts";
import type { Page } from "./pages.ts";

type Served = { readonly family: Family["name"]; readonly definition: Definition };

/** Each method once; what the gateway itself answers is served by both families. */
export function servedMethods(): readonly Served[] {
  const all = Object.values(FAMILIES).flatMap(({ name, methods }) =>
    methods.map((definition) => ({ family: name, definition })),
  );
  const first = new Map(all.toReversed().map((each) => [each.definition.method, each]));
  return all.filter((each) => first.get(each.definition.method) === each);
}

export const methodPages = (): readonly Page[] =>
  servedMethods().map((served) => ({
    path: `methods/${served.definition.method}.md`,
    text: methodPage(served),
  }));

export function methodIndex(): Page {
  const tables = Object.values(FAMILIES).map(({ name, methods }) => {
    const rows = methods.map(
      ({ method, credits, result }) => `| [${method}](${method}.md) | ${credits} | ${result} |`,
    );
    const head = "| method | credits | answers |\n| --- | --- | --- |";
    return `## ${FAMILY_WORDS[name]}\n\n${head}\n${rows.join("\n")}\n`;
  });
  const text = `# Methods\n\nEvery method that is served, with what a call costs.\n\n${tables.join("\n")}`;
  return { path: "methods/index.md", text };
}

const FAMILY_WORDS: Readonly<Record<Family["name"], string>> = {
  evm: "EVM networks",
  slot: "Slot networks",
};

function methodPage(served: Served): string {
  const { definition, family } = served;
  const sections = [
    `# ${definition.method}`,
    `Of ${FAMILY_WORDS[family]}${groupWords(definition)}. Costs ${definition.credits} credits${chargeWords(definition)}.`,
    `## Params\n\n${paramsText(definition.params)}`,
    `## Result\n\nThe answer is ${definition.result}.\n\n${keptWords(definition)}`,
    `## Call it\n\n${callText(served)}`,
    `## Errors\n\n${errorsText(definition)}`,
  ];
  return `${sections.join("\n\n")}\n`;
}

const groupWords = ({ group }: Definition): string =>
  group === undefined ? "" : ` that have [\`groups: [${group}]\`](../configuration.md) in the file`;

function chargeWords({ own }: Definition): string {
  if (own === "subscribe")
    return ", and each notification [a price of its own](../subscriptions.md)";
  return "";
}

function paramsText(params: readonly Param[]): string {
  if (params.length === 0) return "None.";
  const rows = params.map(
    ({ name, required, want, fallback }, place) =>
      `| ${place + 1} | ${name} | ${cell(want)} | ${neededWords(required)}${
        typeof fallback === "string" ? `; left out it is \`${fallback}\`` : ""
      } |`,
  );
  const table = `| place | name | is | needed |\n| --- | --- | --- | --- |\n${rows.join("\n")}`;
  return [table, ...params.flatMap(membersText)].join("\n\n");
}

function neededWords(required: Param["required"]): string {
  if (required === "strict") return "on networks with [`strictParams`](../configuration.md)";
  return required ? "yes" : "no";
}

function membersText({ name, members = [] }: Param): string[] {
  if (members.length === 0) return [];
  const rows = members.map(
    (member) =>
      `| \`${member.name}\` | ${cell(member.want)}${
        member.choices === undefined
          ? ""
          : `: ${member.choices.map((one) => `\`${one}\``).join(", ")}`
      } |`,
  );
  return [
    `Of the ${name}, these members are given most:`,
    `| member | is |\n| --- | --- |\n${rows.join("\n")}`,
  ];
}

/** Text in a table of Markdown. */
const cell = (text: string): string => text.replaceAll("|", "\\|");

function keptWords({ cache, own, local }: Definition): string {
  if (own !== undefined) return "The gateway answers by itself; no node is asked.";
  if (local !== undefined && cache !== "block")
    return "Where the gateway knows the answer, no node is asked.";
  if (cache === "block")
    return "It is kept while its block is on the chain, so that it is asked of a node once.";
  if (cache === "constant") return "It is kept, since it never changes.";
  return "It is asked of a node each time; calls that come at the same moment share one question.";
}

function callText({ definition, family }: Served): string {
  const { method, params, own } = definition;
  const url = `http://127.0.0.1:8545/${DEV_NETWORKS[family]}/v3/KEY`;
  const where = `The address is that of the network that \`npm start\` brings; \`KEY\` stands for [an API key](../keys.md).`;
  if (own === "subscribe" || own === "unsubscribe") {
    return `Over a WebSocket, to the same address with \`ws\` in it. ${where}\n\n${fence("js", streamSnippet(definition, family))}`;
  }
  const example = exampleOf(params);
  if (example === undefined) return `${where}\n\n${fence("sh", twoCalls(method, url))}`;
  const [curl, ...programs] = callSnippets({ family, url, method, params: example });
  const rest = programs.map(
    ({ label, text }) => `With ${label}:\n\n${fence(label === "web3.py" ? "python" : "js", text)}`,
  );
  return [where, fence("sh", curl?.text ?? ""), ...rest].join("\n\n");
}

const fence = (language: string, text: string): string =>
  `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

/** What any call may be told, and what this one may be told besides. */
function errorsText(definition: Definition): string {
  const names = errorsOf(definition);
  const rows = names.map((name) => {
    const { code, message, meaning } = ERRORS[name];
    return `| ${code} | ${cell(message)} | ${cell(meaning)} |`;
  });
  const table = `| code | text | meaning |\n| --- | --- | --- |\n${rows.join("\n")}`;
  return `${table}\n\nRefusals of the key, the credits and the limits are the same for all methods: [Errors](../errors.md).`;
}

const FILTER_ERRORS = ["filter_not_found", "filters_unavailable"] as const;

/** By what the gateway itself answers. */
const OWN_ERRORS: Readonly<Record<OwnAnswer, readonly ErrorName[]>> = {
  usage: [],
  subscribe: ["not_on_this_network", "cannot_resume"],
  unsubscribe: ["subscription_not_found"],
  "log filter": ["filters_unavailable"],
  "block filter": ["filters_unavailable"],
  "pending filter": ["not_on_this_network", "filters_unavailable"],
  "filter changes": FILTER_ERRORS,
  "filter logs": FILTER_ERRORS,
  "remove filter": ["filters_unavailable"],
};

function errorsOf(definition: Definition): readonly ErrorName[] {
  const { params, own } = definition;
  return [
    ...(params.length > 0 ? ["invalid_params" as const] : []),
    ...(own === undefined ? nodeErrors(definition) : OWN_ERRORS[own]),
    "internal",
  ];
}

function nodeErrors({ places, state, lookup, unknownBlock, local }: Definition): ErrorName[] {
  const names: ErrorName[] = [];
  if (places.call >= 0) names.push("revert", "execution_failed");
  if (places.block >= 0 && lookup === undefined && unknownBlock === undefined)
    names.push("header_not_found");
  if (places.block >= 0 && state) names.push("archive_unavailable");
  if (local === undefined) names.push("node_invalid_params", "upstream_error", "answer_too_large");
  return [...names, "block_not_available", "unavailable"];
}
