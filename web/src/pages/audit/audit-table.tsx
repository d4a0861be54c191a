import type { AuditEntryView } from "../../../../src/console/contract/audit.ts";
import { describeAgent } from "../../agents.ts";
import { inWords } from "../../format.ts";
import { Time } from "../../ui/display.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { describeAction } from "./actions.ts";

/** Entries of an audit log; operators see those of every account by the same table. */
export function AuditTable({ entries }: { readonly entries: readonly AuditEntryView[] }) {
  return <Table caption="Audit log" columns={COLUMNS} rows={entries} rowKey={({ id }) => id} />;
}

const COLUMNS: readonly Column<AuditEntryView>[] = [
  { key: "at", head: "When", cell: ({ at }) => <Time value={at} /> },
  { key: "actor", head: "Who", cell: ({ actor }) => <Actor actor={actor} /> },
  { key: "action", head: "What", rowHead: true, cell: ({ action }) => describeAction(action) },
  { key: "target", head: "Target", cell: (entry) => <Subject entry={entry} /> },
  { key: "from", head: "From", cell: (entry) => <From entry={entry} /> },
];

const ACTORS = {
  user: "A person",
  token: "By an API token",
  command: "The command line",
  system: "The gateway",
} as const;

function Actor({ actor: { kind, email } }: { readonly actor: AuditEntryView["actor"] }) {
  if (email === null) return <>{ACTORS[kind]}</>;
  return (
    <div>
      {email}
      {kind !== "user" && <span class="cell-note">{ACTORS[kind]}</span>}
    </div>
  );
}

function Subject({ entry: { target, detail } }: { readonly entry: AuditEntryView }) {
  const facts = Object.entries(detail);
  if (target === null && facts.length === 0) return <span class="muted">–</span>;
  return (
    <div class="break">
      {target !== null && <span class="mono">{target}</span>}
      {facts.map(([name, value]) => (
        <span key={name} class="cell-note">
          {inWords(name)}: {value === null ? "none" : String(value)}
        </span>
      ))}
    </div>
  );
}

function From({ entry: { ip, agent } }: { readonly entry: AuditEntryView }) {
  if (ip === null && agent === null) return <span class="muted">the gateway's machine</span>;
  return (
    <div title={agent ?? undefined}>
      {ip !== null && <span class="mono">{ip}</span>}
      {agent !== null && <span class="cell-note">{describeAgent(agent)}</span>}
    </div>
  );
}
