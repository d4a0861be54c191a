import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Notice } from "../../ui/notice.tsx";

type Props = { readonly codes: readonly string[]; readonly onClose: () => void };

/** Shown once: the way in without the phone. */
export function BackupCodes({ codes, onClose }: Props) {
  return (
    <Dialog title="Your backup codes" onClose={onClose} sticky>
      <div class="stack">
        <Notice tone="warn">
          They are shown only now. Keep them where you find them without your phone; each works
          once.
        </Notice>
        <Code label="Backup codes" text={codes.join("\n")} />
        <div class="form-actions">
          <Button kind="primary" onClick={onClose}>
            I have saved them
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
