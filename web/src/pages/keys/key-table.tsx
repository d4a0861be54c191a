import { useState } from "preact/hooks";
import type { KeyView, ListedKey } from "../../../../src/console/contract/keys.ts";
import { formatNumber, plural } from "../../format.ts";
import { Button } from "../../ui/button.tsx";
import { Ago, Badge, Card, Time } from "../../ui/display.tsx";
import { Switch } from "../../ui/field.tsx";
import { type Column, Pager, Table } from "../../ui/table.tsx";
import { listKinds } from "./allow-kinds.ts";
import type { KeyAction } from "./keys-page.tsx";

const PAGE = 25;

type Props = {
  readonly keys: readonly ListedKey[];
  readonly most: number | null;
  readonly onAction: (action: KeyAction, key: KeyView) => void;
};

/** The keys, newest first; ended ones on demand. */
export function KeyTable({ keys, most, onAction }: Props) {
  const [ended, setEnded] = useState(false);
  const [page, setPage] = useState(0);
  const active = keys.filter(({ state }) => state === "active");
  const listed = (ended ? keys : active).toReversed();
  const shown = listed.slice(page * PAGE, (page + 1) * PAGE);
  const endedCount = keys.length - active.length;
  if (active.length === 0 && !ended) {
    return (
      <p class="muted">
        <EndedSwitch count={endedCount} on={ended} onChange={setEnded} />
      </p>
    );
  }
  return (
    <Card
      flush
      title={
        most === null
          ? plural(active.length, "active key")
          : `${active.length} of ${plural(most, "key")}`
      }
      {...(most !== null && active.length >= most
        ? {
            hint: "Your plan allows no more keys. Revoke one, or ask the operator for another plan.",
          }
        : {})}
      actions={
        endedCount > 0 && (
          <EndedSwitch
            count={endedCount}
            on={ended}
            onChange={(on) => {
              setEnded(on);
              setPage(0);
            }}
          />
        )
      }
    >
      <Table
        caption="API keys"
        columns={columnsOf(onAction)}
        rows={shown}
        rowKey={({ id }) => id}
      />
      <Pager
        label="Pages of keys"
        number={page + 1}
        next={(page + 1) * PAGE < listed.length ? () => setPage(page + 1) : undefined}
        previous={page > 0 ? () => setPage(page - 1) : undefined}
      />
    </Card>
  );
}

type SwitchProps = {
  readonly count: number;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
};

function EndedSwitch({ count, on, onChange }: SwitchProps) {
  return (
    <Switch
      name="ended"
      label={`Show ${plural(count, "ended key")}`}
      checked={on}
      onChange={onChange}
    />
  );
}

const TONES = { active: "ok", expired: "warn", revoked: "danger" } as const;

function columnsOf(onAction: Props["onAction"]): readonly Column<ListedKey>[] {
  return [
    {
      key: "name",
      head: "Name",
      rowHead: true,
      cell: ({ name, prefix, state }) => (
        <div>
          <span class="row">
            {name}
            {state !== "active" && <Badge tone={TONES[state]}>{state}</Badge>}
          </span>
          <span class="cell-note mono">{prefix}…</span>
        </div>
      ),
    },
    { key: "limits", head: "Limits", cell: (key) => <Restrictions item={key} /> },
    {
      key: "used",
      head: "Last used",
      cell: ({ lastUsed }) =>
        lastUsed === null ? <span class="muted">never</span> : <Ago value={lastUsed} />,
    },
    { key: "open", head: "Open now", cell: ({ open }) => <Open {...open} /> },
    { key: "ends", head: "Expires", cell: (key) => <Ends item={key} /> },
    {
      key: "actions",
      head: "Actions",
      unseenHead: true,
      align: "end",
      cell: (key) => key.state === "active" && <Actions item={key} onAction={onAction} />,
    },
  ];
}

function Open({ sockets, subscriptions }: ListedKey["open"]) {
  if (sockets === 0) return <span class="muted">none</span>;
  return (
    <div>
      {plural(sockets, "WebSocket")}
      <span class="cell-note">{plural(subscriptions, "subscription")}</span>
    </div>
  );
}

function Ends({ item }: { readonly item: KeyView }) {
  const end = item.revoked ?? item.expires;
  return end === null ? <span class="muted">never</span> : <Time value={end} style="moment" />;
}

function Restrictions({ item: { limits, allow } }: { readonly item: KeyView }) {
  const kinds = listKinds(allow);
  const texts = [
    ...(limits.creditsPerDay === null
      ? []
      : [`${formatNumber(limits.creditsPerDay)} credits per day`]),
    ...(limits.creditsPerSecond === null
      ? []
      : [`${formatNumber(limits.creditsPerSecond)} credits per second`]),
    ...kinds.map(
      ({ many, entries }) => `${entries.length} ${entries.length === 1 ? many.one : many.many}`,
    ),
  ];
  if (texts.length === 0) return <span class="muted">none of its own</span>;
  return (
    <ul class="tags">
      {texts.map((text) => (
        <li key={text}>
          <Badge>{text}</Badge>
        </li>
      ))}
    </ul>
  );
}

type ActionsProps = { readonly item: KeyView; readonly onAction: Props["onAction"] };

function Actions({ item, onAction }: ActionsProps) {
  const button = (action: KeyAction, text: string) => (
    <Button size="small" label={`${text}: ${item.name}`} onClick={() => onAction(action, item)}>
      {text}
    </Button>
  );
  return (
    <div class="cell-actions">
      {button("use", "Use")}
      {button("edit", "Edit")}
      {button("rotate", "Rotate")}
      {button("revoke", "Revoke")}
    </div>
  );
}
