import type { AuditEntryView } from "../../../../src/console/contract/audit.ts";
import { usePages } from "../../load.ts";
import { useAccount } from "../../session.tsx";
import { Card, PageHead, Skeleton } from "../../ui/display.tsx";
import { Empty, LoadFault } from "../../ui/notice.tsx";
import { Pager } from "../../ui/table.tsx";
import { AuditTable } from "./audit-table.tsx";

export function AuditPage() {
  const { path } = useAccount();
  const { items, error, reload, loading, number, next, previous } = usePages<AuditEntryView>(
    path("/audit"),
  );
  return (
    <>
      <PageHead title="Audit log">
        Every change to this account and every sign-in: who, what, when and from where.
      </PageHead>
      {error !== undefined && <LoadFault error={error} retry={reload} />}
      <Card flush>
        {items === undefined && error === undefined && <Skeleton lines={6} />}
        {items?.length === 0 && (
          <Empty icon="log" title="Nothing has happened yet">
            Create an API key, add a member or sign in on another device, and it appears here.
          </Empty>
        )}
        {items !== undefined && items.length > 0 && <AuditTable entries={items} />}
        <Pager
          label="Pages of the audit log"
          number={number}
          next={next}
          previous={previous}
          loading={loading}
        />
      </Card>
    </>
  );
}
