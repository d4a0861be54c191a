import { useState } from "preact/hooks";
import { messageOf } from "../../api.ts";
import { auth, unwrap } from "../../auth.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";

/** Signs in with a passkey of this device; nothing where the browser knows none. */
export function PasskeyButton({ onDone }: { readonly onDone: () => Promise<void> }) {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  if (!("PublicKeyCredential" in window)) return null;
  const signIn = async () => {
    setBusy(true);
    setFault(undefined);
    try {
      unwrap(await auth.signIn.passkey());
      await onDone();
    } catch (error) {
      setFault(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button icon="key" busy={busy} onClick={() => void signIn()}>
        Use a passkey
      </Button>
      {fault !== undefined && <Notice tone="danger">{fault}</Notice>}
    </>
  );
}
