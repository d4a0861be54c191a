import { useEffect, useState } from "preact/hooks";
import type { OperatorAccount } from "../../../../src/console/contract/operator-accounts.ts";
import { formatNumber, formatShare } from "../../format.ts";
import { usePages } from "../../load.ts";
import { Link, useSearchParam } from "../../router.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, PageHead, Skeleton, Time } from "../../ui/display.tsx";
import { Field } from "../../ui/field.tsx";
import { Empty, LoadFault } from "../../ui/notice.tsx";
import { type Column, Pager, Table } from "../../ui/table.tsx";
import { RequestCard } from "../usage/request-card.tsx";
import { AccountBadges } from "./account-badges.tsx";
import { CreateAccount } from "./create-account.tsx";
import { LargestCard } from "./largest-card.tsx";

/** A pause in typing before the list is asked for. */
const PAUSE_MS = 250;
const PAGE = 25;

/** Every account of the gateway. */
export function AccountsPage() {
  const [search, setSearch] = useSearchParam("search");
  const [isCreating, setIsCreating] = useState(false);
  const pages = usePages<OperatorAccount>("/operator/accounts", { search, limit: PAGE });
  const { items, error, reload, number, next, previous, loading } = pages;
  return (
    <>
      <PageHead
        title="Accounts"
        actions={
          <Button kind="primary" icon="plus" onClick={() => setIsCreating(true)}>
            New account
          </Button>
        }
      >
        Everyone who can call this gateway, with their plan, today's use and keys.
      </PageHead>
      <LargestCard />
      <SearchField value={search} onSearch={setSearch} />
      {error !== undefined && <LoadFault error={error} retry={reload} />}
      <Card flush>
        {items === undefined && error === undefined && <Skeleton lines={8} />}
        {items?.length === 0 && <None search={search} />}
        {items !== undefined && items.length > 0 && (
          <Table caption="Accounts" columns={COLUMNS} rows={items} rowKey={({ id }) => id} />
        )}
        <Pager label="Pages of accounts" {...{ number, next, previous, loading }} />
      </Card>
      <RequestCard path="/operator/requests" isOfAll />
      {isCreating && <CreateAccount onClose={() => setIsCreating(false)} />}
    </>
  );
}

function SearchField(props: { readonly value: string; readonly onSearch: (text: string) => void }) {
  const { value, onSearch } = props;
  const [text, setText] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => onSearch(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, onSearch]);
  return (
    <search>
      <Field
        type="search"
        name="search"
        label="Search"
        placeholder="Part of an e-mail or id"
        value={text}
        onInput={setText}
        maxLength={254}
      />
    </search>
  );
}

function None({ search }: { readonly search: string }) {
  if (search === "") {
    return (
      <Empty icon="building" title="No accounts yet">
        Create one for somebody. They get an invitation by e-mail if mail is set up.
      </Empty>
    );
  }
  return (
    <Empty icon="building" title="No matching accounts">
      No e-mail or id contains “{search}”. Try a shorter search.
    </Empty>
  );
}

const COLUMNS: readonly Column<OperatorAccount>[] = [
  { key: "email", head: "Account", rowHead: true, cell: (account) => <Name account={account} /> },
  { key: "plan", head: "Plan", cell: ({ plan }) => plan },
  { key: "state", head: "State", cell: (account) => <AccountBadges account={account} /> },
  {
    ...{ key: "today", head: "Credits today", align: "end" },
    cell: ({ today: { used, limit } }) => (
      <div>
        {formatNumber(used)}
        <span class="cell-note">
          {formatShare(limit === 0 ? 1 : used / limit)} of {formatNumber(limit)}
        </span>
      </div>
    ),
  },
  {
    ...{ key: "keys", head: "Keys", align: "end" },
    cell: ({ keys: { active, all } }) => `${active} of ${all} active`,
  },
  { key: "created", head: "Since", cell: ({ created }) => <Time value={created} style="day" /> },
];

function Name({ account: { id, email } }: { readonly account: OperatorAccount }) {
  return (
    <div>
      <Link to={`/accounts/${encodeURIComponent(id)}`}>{email}</Link>
      <span class="cell-note mono">{id}</span>
    </div>
  );
}
