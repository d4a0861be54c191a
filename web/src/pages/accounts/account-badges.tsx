import type { OperatorAccount } from "../../../../src/console/contract/operator-accounts.ts";
import { Badge } from "../../ui/display.tsx";

/** What sets an account apart. */
export function AccountBadges({
  account: { suspended, operator },
}: {
  readonly account: Pick<OperatorAccount, "suspended" | "operator">;
}) {
  return (
    <span class="row">
      <Badge tone={suspended ? "danger" : "ok"}>{suspended ? "suspended" : "active"}</Badge>
      {operator && <Badge tone="info">operator</Badge>}
    </span>
  );
}
