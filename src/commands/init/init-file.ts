import type { FoundNode } from "./find-node.ts";

export type NewNetwork = { readonly name: string; readonly nodes: readonly FoundNode[] };

export type NewFile = {
  readonly networks: readonly NewNetwork[];
  /** Undefined where there is to be no dashboard. */
  readonly dashboardSecret: string | undefined;
};

const VARIABLE = "$" + "{NAME}";

/** The text of a `tollgate.yaml` with a comment for whatever a new operator may want to change. */
export function initFile({ networks, dashboardSecret }: NewFile): string {
  return `${[
    "# The configuration of Tollgate. docs/configuration.md explains every key, and `tollgate check` says what is",
    `# wrong with this file. ${VARIABLE} takes an environment variable. Relative paths begin at this file's folder.`,
    "",
    "# Where clients call. 0.0.0.0 lets other machines call, too.",
    "server: { host: 127.0.0.1, port: 8545 }",
    "",
    "# Health, metrics and the state of each node, for operators alone.",
    "admin: { host: 127.0.0.1, port: 9545 }",
    ...(dashboardSecret === undefined ? [] : ["", ...consoleLines(dashboardSecret)]),
    "",
    "# Accounts, keys and what they used. Several machines share a PostgreSQL: docs/postgres.md",
    'storage: { url: "sqlite:./data/tollgate.db" }',
    "",
    "# Each is called at http://127.0.0.1:8545/NAME/v3/KEY.",
    "networks:",
    ...networks.flatMap(networkLines),
  ].join("\n")}\n`;
}

/** Nobody can sign up without mail: `tollgate accounts link` lets people in. */
const consoleLines = (secret: string): string[] => [
  "# The dashboard. `tollgate accounts link EMAIL` prints a link that signs an account's owner in.",
  "# The secret signs sessions: keep this file to yourself.",
  `console: { host: 127.0.0.1, port: 7545, signup: closed, secret: ${quoted(secret)} }`,
];

function networkLines({ name, nodes }: NewNetwork): string[] {
  const [{ family, chain } = { family: "evm", chain: 0 }] = nodes;
  return [
    `  - name: ${name}`,
    `    family: ${family}`,
    `    ${family === "evm" ? "chainId" : "genesisHash"}: ${chain}`,
    "    upstreams:",
    ...nodes.flatMap(({ address, client, ws }, index) => [
      ...(client === undefined ? [] : [`      # ${client}`]),
      `      - name: node-${index + 1}`,
      `        url: ${quoted(address)}`,
      ...(ws === undefined ? [] : [`        ws: ${quoted(ws)}`]),
    ]),
  ];
}

/** JSON's texts are texts of YAML. */
const quoted = (text: string): string => JSON.stringify(text);
