import "./keys.css";
import { useState } from "preact/hooks";
import { isExplorerKey } from "../../../../src/access/explorer-key.ts";
import type { Account } from "../../../../src/console/contract/accounts.ts";
import type { KeyView, ListedKey } from "../../../../src/console/contract/keys.ts";
import { useGet } from "../../load.ts";
import { useAccount } from "../../session.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, PageHead, Skeleton } from "../../ui/display.tsx";
import { Empty, LoadFault } from "../../ui/notice.tsx";
import { CreateKey } from "./create-key.tsx";
import { EditKey } from "./edit-key.tsx";
import { KeyTable } from "./key-table.tsx";
import { RevokeKey } from "./revoke-key.tsx";
import { RotateKey } from "./rotate-key.tsx";
import { type Secret, SecretDialog } from "./secret-dialog.tsx";
import { UseKey } from "./use-key.tsx";

export type KeyAction = "use" | "edit" | "rotate" | "revoke";

type Opened =
  | { readonly what: "create" }
  | { readonly what: KeyAction; readonly key: KeyView }
  | { readonly what: "secret"; readonly secret: Secret };

export function KeysPage() {
  const { path } = useAccount();
  const keys = useGet<{ readonly items: readonly ListedKey[] }>(path("/keys"));
  const account = useGet<Account>(path());
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  const show = (secret: Secret) => {
    setOpened({ what: "secret", secret });
    keys.reload();
  };
  // The explorer's own key is none that somebody made.
  const made = keys.data?.items.filter((key) => !isExplorerKey(key));
  const active = made?.filter(({ state }) => state === "active") ?? [];
  const most = account.data?.maxKeys ?? null;
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setOpened({ what: "create" })}>
      Create a key
    </Button>
  );
  return (
    <>
      <PageHead title="API keys" actions={active.length > 0 && create}>
        A key is part of the address of every call. Give each program its own key, so that you can
        see what it uses and revoke it on its own.
      </PageHead>
      {keys.error && <LoadFault error={keys.error} retry={keys.reload} />}
      {made === undefined && !keys.error && (
        <Card>
          <Skeleton lines={4} />
        </Card>
      )}
      {made !== undefined && active.length === 0 && (
        <Card>
          <Empty icon="key" title="Create your first key" action={create}>
            All it needs is a name. You then get the address of each network with the key in it, and
            code that works as pasted.
          </Empty>
        </Card>
      )}
      {made !== undefined && made.length > 0 && (
        <KeyTable keys={made} most={most} onAction={(what, key) => setOpened({ what, key })} />
      )}
      {opened && (
        <OpenedDialog opened={opened} onClose={close} onSecret={show} onChange={keys.reload} />
      )}
    </>
  );
}

type OpenedProps = {
  readonly opened: Opened;
  readonly onClose: () => void;
  readonly onSecret: (secret: Secret) => void;
  readonly onChange: () => void;
};

function OpenedDialog({ opened, onClose, onSecret, onChange }: OpenedProps) {
  switch (opened.what) {
    case "create":
      return <CreateKey onClose={onClose} onDone={onSecret} />;
    case "secret":
      return <SecretDialog secret={opened.secret} onClose={onClose} />;
    case "use":
      return <UseKey item={opened.key} onClose={onClose} />;
    case "edit":
      return <EditKey item={opened.key} onClose={onClose} onDone={onChange} />;
    case "rotate":
      return <RotateKey item={opened.key} onClose={onClose} onDone={onSecret} />;
    case "revoke":
      return <RevokeKey item={opened.key} onClose={onClose} onDone={onChange} />;
  }
}
