import type { OperatorAccount } from "../../../../src/console/contract/operator-accounts.ts";
import { useGet } from "../../load.ts";
import { Link, type PageProps } from "../../router.tsx";
import { ViewedAccount } from "../../session.tsx";
import { PageHead, Skeleton } from "../../ui/display.tsx";
import { LoadFault, Notice } from "../../ui/notice.tsx";
import { UsagePage } from "../usage/usage-page.tsx";

/** An account's usage as its people see it, for operators: to look at. */
export function AccountUsagePage({ params }: PageProps) {
  const id = params["id"] ?? "";
  const to = `/accounts/${encodeURIComponent(id)}`;
  const { data, error, reload } = useGet<OperatorAccount>(`/operator${to}`);
  if (data === undefined) {
    return (
      <>
        <PageHead title="Usage">
          <Link to={to}>The account</Link>
        </PageHead>
        {error === undefined ? <Skeleton lines={8} /> : <LoadFault error={error} retry={reload} />}
      </>
    );
  }
  const { email, plan, suspended } = data;
  return (
    <>
      <Notice>
        This is what <Link to={to}>{email}</Link> sees. You are viewing it as an operator.
      </Notice>
      <ViewedAccount account={{ id, email, plan, suspended, role: "member" }}>
        <UsagePage />
      </ViewedAccount>
    </>
  );
}
