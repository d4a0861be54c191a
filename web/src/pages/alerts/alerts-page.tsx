import { useState } from "preact/hooks";
import type {
  AlertSettingsView,
  WrittenAlertSettings,
} from "../../../../src/console/contract/alerts.ts";
import { useGet } from "../../load.ts";
import { useAccount } from "../../session.tsx";
import { Card, PageHead, Skeleton } from "../../ui/display.tsx";
import { LoadFault, Notice } from "../../ui/notice.tsx";
import { AlertForm } from "./alert-form.tsx";
import { AlertTest } from "./alert-test.tsx";
import { Deliveries } from "./deliveries.tsx";
import { WebhookSecret } from "./webhook-secret.tsx";

export function AlertsPage() {
  const { account, path } = useAccount();
  const settings = useGet<AlertSettingsView>(path("/alerts"));
  const [secret, setSecret] = useState<string>();
  const owner = account.role === "owner";
  const { data, error } = settings;
  const saved = ({ secret: made, ...written }: WrittenAlertSettings) => {
    settings.set(written);
    setSecret(made);
  };
  return (
    <>
      <PageHead title="Alerts">
        Get notified by e-mail or webhook before the day's credits run out.
      </PageHead>
      {!owner && <Notice>Only the owner, {account.email}, can change the alerts.</Notice>}
      {error !== undefined && <LoadFault error={error} retry={settings.reload} />}
      {data === undefined && error === undefined && (
        <Card>
          <Skeleton lines={5} />
        </Card>
      )}
      {data !== undefined && (
        <div class="columns">
          <Card title="Recipients and thresholds">
            <AlertForm settings={data} editable={owner} onSaved={saved} />
          </Card>
          <AlertTest settings={data} able={owner} />
        </div>
      )}
      <Deliveries />
      {secret !== undefined && (
        <WebhookSecret secret={secret} onClose={() => setSecret(undefined)} />
      )}
    </>
  );
}
