import { useState } from "preact/hooks";
import type { AuditEntryView } from "../../../../src/console/contract/audit.ts";
import type { OperatorAccount } from "../../../../src/console/contract/operator-accounts.ts";
import { toast } from "../../announce.tsx";
import { api } from "../../api.ts";
import { formatNumber, formatShare } from "../../format.ts";
import { type Loaded, useGet, usePages } from "../../load.ts";
import { Link, type PageProps } from "../../router.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Ago, Card, PageHead, Progress, Skeleton, Stat, Stats, Time } from "../../ui/display.tsx";
import { Empty, LoadFault } from "../../ui/notice.tsx";
import { Pager } from "../../ui/table.tsx";
import { AuditTable } from "../audit/audit-table.tsx";
import { AccountBadges } from "./account-badges.tsx";
import { CreditForm, LimitsForm, PlanForm } from "./account-forms.tsx";

/** One account, as operators see and change it. */
export function AccountPage({ params }: PageProps) {
  const path = `/operator/accounts/${encodeURIComponent(params["id"] ?? "")}`;
  const loaded = useGet<OperatorAccount>(path);
  const { data: account, error, reload } = loaded;
  if (account === undefined) {
    return (
      <>
        <PageHead title="Account">
          <Link to="/accounts">All accounts</Link>
        </PageHead>
        {error === undefined ? <Skeleton lines={8} /> : <LoadFault error={error} retry={reload} />}
      </>
    );
  }
  return <Known {...{ account, path, loaded }} />;
}

type KnownProps = {
  readonly account: OperatorAccount;
  readonly path: string;
  readonly loaded: Loaded<OperatorAccount>;
};

function Known({ account, path, loaded: { set, reload, error } }: KnownProps) {
  // Each change is an entry of the log, which is asked for again.
  const [changes, setChanges] = useState(0);
  const onChange = (changed: OperatorAccount) => {
    set(changed);
    setChanges(changes + 1);
  };
  return (
    <>
      <PageHead
        title={account.email}
        actions={
          <>
            <ButtonLink to={`/accounts/${encodeURIComponent(account.id)}/usage`}>Usage</ButtonLink>
            <Suspend {...{ account, path, onChange }} />
          </>
        }
      >
        <span class="row">
          <Link to="/accounts">All accounts</Link>
          <AccountBadges account={account} />
          <span class="mono">{account.id}</span>
        </span>
      </PageHead>
      {error !== undefined && <LoadFault error={error} retry={reload} />}
      <Today account={account} />
      <div class="columns">
        <Card title="Plan" hint="Its limits are set in the configuration, under plans.">
          <PlanForm {...{ account, path, onChange }} />
        </Card>
        <Card title="Add credits" hint="Added to today's balance. They expire at 00:00 UTC.">
          <CreditForm
            path={path}
            onAdded={() => {
              reload();
              setChanges(changes + 1);
            }}
          />
        </Card>
      </div>
      <Card
        title="Custom limits"
        hint="These replace the plan's limits. Leave a field empty to use the plan's."
      >
        <LimitsForm key={JSON.stringify(account.ownLimits)} {...{ account, path, onChange }} />
      </Card>
      <AccountAudit key={changes} id={account.id} />
    </>
  );
}

function Today({
  account: { today, keys, maxKeys, created },
}: {
  readonly account: OperatorAccount;
}) {
  const { used, limit } = today;
  const share = limit === 0 ? 1 : used / limit;
  return (
    <Card title="Today">
      <div class="stack">
        <Progress
          label="Credits of the day"
          share={share}
          text={`${formatNumber(used)} of ${formatNumber(limit)} credits used`}
        />
        <Stats>
          <Stat label="Credits used" value={formatNumber(used)} note={formatShare(share)} />
          <Stat
            label="Credits of the day"
            value={formatNumber(limit)}
            note="including added credits"
          />
          <Stat
            label="Active keys"
            value={formatNumber(keys.active)}
            note={`of ${keys.all} created so far; ${maxKeys === null ? "any number" : maxKeys} allowed`}
          />
          <Stat
            label="Created"
            value={<Ago value={created} />}
            note={<Time value={created} style="day" />}
          />
        </Stats>
      </div>
    </Card>
  );
}

type SuspendProps = {
  readonly account: OperatorAccount;
  readonly path: string;
  readonly onChange: (changed: OperatorAccount) => void;
};

function Suspend({ account: { email, suspended }, path, onChange }: SuspendProps) {
  const [isAsking, setIsAsking] = useState(false);
  const action = suspended ? "Resume" : "Suspend";
  const run = async () => {
    onChange(await api.patch<OperatorAccount>(path, { suspended: !suspended }));
    toast(suspended ? `${email} can make calls again.` : `${email} is suspended.`);
  };
  return (
    <>
      <Button onClick={() => setIsAsking(true)}>{action}</Button>
      {isAsking && (
        <Confirm
          title={`${action} ${email}?`}
          action={action}
          onConfirm={run}
          onClose={() => setIsAsking(false)}
        >
          <p>
            {suspended
              ? "Its keys work again within a second, with the same limits as before."
              : "Within a second, all its keys are refused with status 403. Nothing is deleted, and you can resume it at any time."}
          </p>
        </Confirm>
      )}
    </>
  );
}

function AccountAudit({ id }: { readonly id: string }) {
  const pages = usePages<AuditEntryView>("/operator/audit", { account: id });
  const { items, error, reload, number, next, previous, loading } = pages;
  return (
    <Card title="Audit log" hint="Every change to this account, newest first." flush>
      {error !== undefined && <LoadFault error={error} retry={reload} />}
      {items === undefined && error === undefined && <Skeleton />}
      {items?.length === 0 && (
        <Empty icon="log" title="Nothing has happened yet">
          Changes to the account, its keys and members, and sign-ins appear here.
        </Empty>
      )}
      {items !== undefined && items.length > 0 && <AuditTable entries={items} />}
      <Pager label="Pages of the audit log" {...{ number, next, previous, loading }} />
    </Card>
  );
}
