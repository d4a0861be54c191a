import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Notice } from "../../ui/notice.tsx";

type Props = { readonly secret: string; readonly onClose: () => void };

/** Shown once: what the webhook's messages are signed with. */
export function WebhookSecret({ secret, onClose }: Props) {
  return (
    <Dialog title="The webhook's secret" onClose={onClose} sticky>
      <div class="stack">
        <Notice tone="warn">Copy it now: it is not shown again.</Notice>
        <Code label="The webhook's secret" text={secret} wrap />
        <p>
          Your server uses it to check that a message is from this gateway: the header{" "}
          <code>webhook-signature</code> is <code>v1,</code> and the base64 of HMAC-SHA256 over{" "}
          <code>webhook-id.webhook-timestamp.body</code>, as in Standard Webhooks. Libraries for
          most languages do this with the secret as shown here.
        </p>
        <div class="form-actions">
          <Button kind="primary" onClick={onClose}>
            I have copied it
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
