import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Time } from "../../ui/display.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Snippets } from "./snippets.tsx";

export type Secret = {
  readonly name: string;
  readonly text: string;
  /** Of a rotation: when the key before it ends. */
  readonly oldEnds?: string;
};

type Props = { readonly secret: Secret; readonly onClose: () => void };

/** The only time that a key is shown; so it closes by its button alone. */
export function SecretDialog({ secret, onClose }: Props) {
  return (
    <Dialog title={`Your key: ${secret.name}`} onClose={onClose} wide sticky>
      <div class="stack">
        <Notice tone="warn">
          Copy it now: it is not shown again. Anyone who has it can spend your credits, so keep it
          out of public code.
        </Notice>
        <Code label="The key" text={secret.text} wrap />
        {secret.oldEnds !== undefined && (
          <p>
            The old key works until <Time value={secret.oldEnds} />
          </p>
        )}
        <h3>Use it</h3>
        <Snippets secret={secret.text} />
        <div class="form-actions">
          <Button kind="primary" onClick={onClose}>
            I have copied the key
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
