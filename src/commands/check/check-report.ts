import { table } from "../output.ts";
import type { Findings, MethodFindings } from "./check-upstream.ts";

export type CheckedNetwork = {
  readonly name: string;
  /** The chain id, or the genesis hash, as the file says it. */
  readonly chain: number | string | undefined;
  readonly upstreams: readonly CheckedUpstream[];
};

type CheckedUpstream = {
  readonly name: string;
  readonly role: "primary" | "partner";
  readonly findings: Findings;
};

type Row = {
  readonly cells: readonly string[];
  /** Below the table: what is too long for a cell. */
  readonly notes: readonly string[];
  readonly result: CheckedResult;
};

/** As `--json` gives it: `error` is null where the upstream is `ok`. */
export type CheckedResult = {
  readonly network: string;
  readonly upstream: string;
  readonly ok: boolean;
  readonly error: string | null;
};

const HEADINGS = [
  ...["NETWORK", "UPSTREAM", "ROLE", "CLIENT", "CHAIN", "HEAD", "LAG"],
  ...["METHODS", "STATE", "LATENCY", "NEWHEADS", "RESULT"],
];

/** A table with a row for each upstream, and what came of each. */
export function checkReport(networks: readonly CheckedNetwork[]): {
  readonly text: string;
  readonly results: readonly CheckedResult[];
} {
  const rows = networks.flatMap((network) =>
    network.upstreams.map((upstream) => rowOf(network, upstream)),
  );
  const notes = rows.flatMap((row) => row.notes);
  const lines = table(
    HEADINGS,
    rows.map(({ cells }) => cells),
  );
  return {
    text: [lines, ...notes].join("\n"),
    results: rows.map(({ result }) => result),
  };
}

function rowOf(network: CheckedNetwork, upstream: CheckedUpstream): Row {
  const { name, role, findings } = upstream;
  const names = [network.name, name, role];
  const { client, chain, head, methods, depth, latencyMs, stream } = findings;
  const fault = findings.fault ?? otherChain(network, upstream) ?? noStream(stream);
  const cells = [
    ...[client, chain, head, lagOf(network, upstream)],
    ...[methodsCell(methods), depth],
    latencyMs === undefined ? undefined : `${latencyMs.toFixed(1)} ms`,
    stream === undefined || stream === "ok" ? stream : "no",
  ].map((cell) => (cell === undefined ? "-" : String(cell)));
  return {
    cells: [...names, ...cells, fault ?? "ok"],
    notes: notesOf(`${network.name} ${name}`, methods),
    result: {
      ...{ network: network.name, upstream: name },
      ...{ ok: fault === undefined, error: fault ?? null },
    },
  };
}

/** Behind the highest of the network's upstreams; blocks of another chain are not compared. */
function lagOf(network: CheckedNetwork, upstream: CheckedUpstream): number | undefined {
  const { head } = upstream.findings;
  if (head === undefined || otherChain(network, upstream) !== undefined) return undefined;
  const heads = network.upstreams
    .filter((each) => otherChain(network, each) === undefined)
    .map(({ findings }) => findings.head ?? -1);
  return Math.max(...heads) - head;
}

/** As the gateway does: where the file does not say the chain, the first primary that answers does. */
function otherChain(
  { chain, upstreams }: CheckedNetwork,
  { findings }: CheckedUpstream,
): string | undefined {
  const found = findings.chain;
  const told = upstreams.find(
    (each) => each.role === "primary" && each.findings.chain !== undefined,
  );
  const expected = chain ?? told?.findings.chain;
  if (found === undefined || expected === undefined || found === expected) return undefined;
  const source = chain === undefined ? `${told?.name} is of` : "the file says";
  return `is of chain ${found}, ${source} ${expected}: it would not be used`;
}

function noStream(stream: string | undefined): string | undefined {
  if (stream === undefined || stream === "ok") return undefined;
  return `its ws: ${stream}`;
}

function methodsCell(methods: MethodFindings | undefined): string | undefined {
  if (methods === undefined) return undefined;
  const { asked, lacking, unanswered } = methods;
  const has = asked - lacking.length - unanswered.length;
  return has === asked ? "all" : `${has} of ${asked}`;
}

function notesOf(name: string, methods: MethodFindings | undefined): string[] {
  const { lacking = [], unanswered = [] } = methods ?? {};
  return [
    ...(lacking.length > 0 ? [`${name} lacks ${lacking.join(", ")}`] : []),
    ...(unanswered.length > 0 ? [`${name} did not answer ${unanswered.join(", ")}`] : []),
  ];
}
