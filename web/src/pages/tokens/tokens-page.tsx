import { useState } from "preact/hooks";
import type { NewTokenView, TokenView } from "../../../../src/console/contract/tokens.ts";
import { toast } from "../../announce.tsx";
import { api } from "../../api.ts";
import { useGet } from "../../load.ts";
import { useAccount } from "../../session.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Ago, Badge, Card, PageHead, Skeleton, Time } from "../../ui/display.tsx";
import { Empty, LoadFault, Notice } from "../../ui/notice.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { CreateToken } from "./create-token.tsx";
import { TokenDialog } from "./token-dialog.tsx";

type Opened =
  | { readonly what: "create" }
  | { readonly what: "made"; readonly made: NewTokenView }
  | { readonly what: "revoke"; readonly token: TokenView };

export function TokensPage() {
  const { account, path } = useAccount();
  const { data, error, reload } = useGet<{ readonly items: readonly TokenView[] }>(path("/tokens"));
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  const isOwner = account.role === "owner";
  const create = isOwner && (
    <Button kind="primary" icon="plus" onClick={() => setOpened({ what: "create" })}>
      Create an API token
    </Button>
  );
  const tokens = data?.items;
  return (
    <>
      <PageHead title="API tokens" actions={tokens !== undefined && tokens.length > 0 && create}>
        Your programs can use a token with the dashboard's API to manage keys or read usage. A token
        is not an API key: it cannot call networks. <a href="/api/openapi.json">API reference</a>
      </PageHead>
      {!isOwner && <Notice>Only the owner, {account.email}, can create and revoke tokens.</Notice>}
      {error !== undefined && <LoadFault error={error} retry={reload} />}
      {tokens === undefined && error === undefined && (
        <Card>
          <Skeleton lines={2} />
        </Card>
      )}
      {tokens?.length === 0 && (
        <Card>
          <Empty icon="device" title="No tokens yet" action={create}>
            A token lists what its program may do, and can be revoked at any time.
          </Empty>
        </Card>
      )}
      {tokens !== undefined && tokens.length > 0 && (
        <Card flush>
          <Table
            caption="API tokens"
            columns={columnsOf(isOwner ? (token) => setOpened({ what: "revoke", token }) : null)}
            rows={tokens.toReversed()}
            rowKey={({ id }) => id}
          />
        </Card>
      )}
      {opened?.what === "create" && (
        <CreateToken
          onClose={close}
          onDone={(made) => {
            setOpened({ what: "made", made });
            reload();
          }}
        />
      )}
      {opened?.what === "made" && <TokenDialog made={opened.made} onClose={close} />}
      {opened?.what === "revoke" && (
        <RevokeToken token={opened.token} onClose={close} onDone={reload} />
      )}
    </>
  );
}

type RevokeProps = {
  readonly token: TokenView;
  readonly onClose: () => void;
  readonly onDone: () => void;
};

function RevokeToken({ token, onClose, onDone }: RevokeProps) {
  const { path } = useAccount();
  return (
    <Confirm
      title={`Revoke ${token.name}?`}
      action="Revoke the token"
      onClose={onClose}
      onConfirm={async () => {
        await api.remove(path(`/tokens/${encodeURIComponent(token.id)}`));
        toast(`${token.name} is revoked`);
        onDone();
      }}
    >
      <p>
        The next request with <code>{token.prefix}…</code> is refused. Keys created with it keep
        working. This cannot be undone.
      </p>
    </Confirm>
  );
}

function columnsOf(onRevoke: ((token: TokenView) => void) | null): readonly Column<TokenView>[] {
  const columns: readonly Column<TokenView>[] = [
    {
      key: "name",
      head: "Name",
      rowHead: true,
      cell: ({ name, prefix }) => (
        <div>
          {name}
          <span class="cell-note mono">{prefix}…</span>
        </div>
      ),
    },
    {
      key: "scopes",
      head: "Permissions",
      cell: ({ scopes }) => (
        <ul class="tags">
          {scopes.map((scope) => (
            <li key={scope}>
              <Badge>{scope}</Badge>
            </li>
          ))}
        </ul>
      ),
    },
    { key: "by", head: "Created by", cell: ({ createdBy }) => createdBy },
    {
      key: "used",
      head: "Last used",
      cell: ({ lastUsed }) =>
        lastUsed === null ? <span class="muted">never</span> : <Ago value={lastUsed} />,
    },
    { key: "expires", head: "Expires", cell: ({ expires }) => <Expiry at={expires} /> },
  ];
  if (onRevoke === null) return columns;
  return [
    ...columns,
    {
      key: "actions",
      head: "Actions",
      unseenHead: true,
      align: "end",
      cell: (token) => (
        <Button size="small" label={`Revoke: ${token.name}`} onClick={() => onRevoke(token)}>
          Revoke
        </Button>
      ),
    },
  ];
}

function Expiry({ at }: { readonly at: string | null }) {
  if (at === null) return <span class="muted">never</span>;
  const isOver = Date.parse(at) <= Date.now();
  return isOver ? <Badge tone="warn">expired</Badge> : <Time value={at} style="moment" />;
}
