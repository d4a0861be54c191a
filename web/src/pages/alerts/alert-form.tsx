import type {
  AlertSettingsBody,
  AlertSettingsView,
  WrittenAlertSettings,
} from "../../../../src/console/contract/alerts.ts";
import { MOST_ALERT_EMAILS, THRESHOLDS } from "../../../../src/console/contract/constants.ts";
import { toast } from "../../announce.tsx";
import { api } from "../../api.ts";
import { useAccount } from "../../session.tsx";
import { Badge } from "../../ui/display.tsx";
import { Field, Switch, TextArea } from "../../ui/field.tsx";
import { Form, type FormValues, fieldError } from "../../ui/form.tsx";
import { Notice } from "../../ui/notice.tsx";

const TEXTS: Readonly<Record<(typeof THRESHOLDS)[number], string>> = {
  75: "75 %: a quarter of the day's credits left",
  85: "85 %: time to check",
  100: "100 %: calls are refused until 00:00 UTC",
};

type Props = {
  readonly settings: AlertSettingsView;
  readonly editable: boolean;
  readonly onSaved: (settings: WrittenAlertSettings) => void;
};

export function AlertForm({ settings, editable, onSaved }: Props) {
  const { account, path } = useAccount();
  if (!editable) return <AlertFacts settings={settings} />;
  const send = async (values: FormValues) => {
    onSaved(await api.put<WrittenAlertSettings>(path("/alerts"), readSettings(values)));
    toast("Alerts saved");
  };
  const { thresholds, emails } = isNobodyTold(settings)
    ? { thresholds: THRESHOLDS, emails: [account.email] }
    : settings;
  return (
    <Form submit="Save" onSubmit={send}>
      {isNobodyTold(settings) && (
        <Notice>Alerts are off. These are suggestions: save them to turn alerts on.</Notice>
      )}
      <fieldset class="stack-tight">
        <legend class="legend">When this share of the day's credits is used</legend>
        {THRESHOLDS.map((threshold) => (
          <Switch
            key={threshold}
            name="thresholds"
            value={String(threshold)}
            label={TEXTS[threshold]}
            initial={thresholds.some((chosen) => chosen === threshold)}
          />
        ))}
      </fieldset>
      <TextArea
        name="emails"
        label="E-mails"
        optional
        rows={3}
        hint={`One per line, at most ${MOST_ALERT_EMAILS}.`}
        placeholder="ops@example.com"
        initial={emails.join("\n")}
      />
      <Field
        name="webhook"
        label="Webhook"
        optional
        type="url"
        mono
        hint="A JSON POST, signed as Standard Webhooks. Failed deliveries are retried for hours."
        placeholder="https://example.com/hooks/tollgate"
        initial={settings.webhook?.url}
      />
    </Form>
  );
}

/** Whether the alerts were never set, or were turned off. */
export function isNobodyTold({ emails, webhook }: AlertSettingsView): boolean {
  return emails.length === 0 && webhook === null;
}

/** @throws ApiError where there are too many e-mails */
function readSettings(values: FormValues): AlertSettingsBody {
  const chosen = values.all("thresholds");
  const emails = values
    .text("emails")
    .split(/[\s,;]+/)
    .filter((email) => email !== "");
  if (emails.length > MOST_ALERT_EMAILS) {
    throw fieldError(
      "emails",
      `Enter at most ${MOST_ALERT_EMAILS} e-mails; there are ${emails.length}.`,
    );
  }
  const url = values.text("webhook");
  return {
    thresholds: THRESHOLDS.filter((threshold) => chosen.includes(String(threshold))),
    emails,
    webhook: url === "" ? null : { url },
  };
}

/** The same for those who may only read it. */
function AlertFacts({ settings: { thresholds, emails, webhook } }: Pick<Props, "settings">) {
  const list = (texts: readonly string[]) =>
    texts.length === 0 ? (
      <span class="muted">none</span>
    ) : (
      <ul class="tags">
        {texts.map((text) => (
          <li key={text}>
            <Badge>{text}</Badge>
          </li>
        ))}
      </ul>
    );
  return (
    <dl class="facts">
      <dt>Notify at</dt>
      <dd>{list(thresholds.map((threshold) => `${threshold} %`))}</dd>
      <dt>E-mails</dt>
      <dd>{list(emails)}</dd>
      <dt>Webhook</dt>
      <dd>{webhook === null ? <span class="muted">none</span> : <code>{webhook.url}</code>}</dd>
    </dl>
  );
}
