import type { NewTokenView } from "../../../../src/console/contract/tokens.ts";
import { useAccount } from "../../session.tsx";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Notice } from "../../ui/notice.tsx";
import { requestOf } from "./scopes.ts";

type Props = { readonly made: NewTokenView; readonly onClose: () => void };

/** The only time that a token is shown; so it closes by its button alone. */
export function TokenDialog({ made: { token, secret }, onClose }: Props) {
  const { account } = useAccount();
  const place = { origin: location.origin, account: account.id, secret };
  return (
    <Dialog title={`Your API token: ${token.name}`} onClose={onClose} wide sticky>
      <div class="stack">
        <Notice tone="warn">
          Copy it now: it is not shown again. Store it where your programs keep their secrets.
        </Notice>
        <Code label="The token" text={secret} wrap />
        <h3>Use it</h3>
        <Code label="A request" text={requestOf(token.scopes, place)} wrap />
        <div class="form-actions">
          <Button kind="primary" onClick={onClose}>
            I have copied the token
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
