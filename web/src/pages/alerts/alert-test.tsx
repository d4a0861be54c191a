import { useState } from "preact/hooks";
import type {
  AlertSettingsView,
  AlertTest as AlertTestResult,
} from "../../../../src/console/contract/alerts.ts";
import { api } from "../../api.ts";
import { useAccount } from "../../session.tsx";
import { ActionButton } from "../../ui/button.tsx";
import { Card } from "../../ui/display.tsx";
import { Notice, type Tone } from "../../ui/notice.tsx";
import { isNobodyTold } from "./alert-form.tsx";

type Props = { readonly settings: AlertSettingsView; readonly able: boolean };

/** Sends a message now, to see that it arrives. */
export function AlertTest({ settings, able }: Props) {
  const { path } = useAccount();
  const [result, setResult] = useState<AlertTestResult>();
  const nobody = isNobodyTold(settings);
  return (
    <Card title="Test" hint="Sends one message to every recipient now.">
      <div class="stack">
        <div class="row">
          <ActionButton
            icon="bell"
            disabled={!able || nobody}
            action={async () => setResult(await api.post<AlertTestResult>(path("/alerts/test")))}
          >
            Send a test
          </ActionButton>
        </div>
        {nobody && (
          <p class="muted">There are no recipients yet. Save an e-mail or a webhook first.</p>
        )}
        <div class="stack-tight" aria-live="polite">
          {result !== undefined && (
            <>
              <Outcome what="E-mail" outcome={result.email} />
              <Outcome what="Webhook" outcome={result.webhook} />
            </>
          )}
        </div>
        <p class="muted small">
          A webhook gets <code>{'{"type":"usage.threshold","timestamp":…,"data":{…}}'}</code> with
          the account, the day, the threshold, and the credits used, left and in total. A response
          other than 2xx is retried after 5 s, 30 s, 2 min, 10 min, 1 h and 6 h.
        </p>
      </div>
    </Card>
  );
}

type OutcomeProps = { readonly what: string; readonly outcome: string };

function Outcome({ what, outcome }: OutcomeProps) {
  const tone: Tone = outcome === "sent" ? "ok" : outcome === "none" ? "info" : "warn";
  const text = outcome === "sent" ? "sent" : outcome === "none" ? "not set" : outcome;
  return (
    <Notice tone={tone}>
      {what}: {text}
    </Notice>
  );
}
