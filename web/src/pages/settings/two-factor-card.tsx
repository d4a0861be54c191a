import { useState } from "preact/hooks";
import { toast } from "../../announce.tsx";
import { auth, unwrap } from "../../auth.ts";
import { useSession } from "../../session.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Badge, Card } from "../../ui/display.tsx";
import { Form } from "../../ui/form.tsx";
import { BackupCodes } from "./backup-codes.tsx";
import { OwnPassword } from "./own-password.tsx";
import { TwoFactorSetup } from "./two-factor-setup.tsx";

type Opened = "setup" | "codes" | "off";

export function TwoFactorCard() {
  const { me, refresh } = useSession();
  const on = me?.user.twoFactor ?? false;
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  return (
    <Card
      title="Second factor"
      hint="After your password, a code from an app on your phone."
      actions={<Badge tone={on ? "ok" : "warn"}>{on ? "on" : "off"}</Badge>}
    >
      <div class="row">
        {on ? (
          <>
            <Button onClick={() => setOpened("codes")}>New backup codes</Button>
            <Button onClick={() => setOpened("off")}>Turn off</Button>
          </>
        ) : (
          <Button kind="primary" icon="shield" onClick={() => setOpened("setup")}>
            Turn on
          </Button>
        )}
      </div>
      {opened === "setup" && (
        <TwoFactorSetup
          onClose={() => {
            close();
            void refresh();
          }}
        />
      )}
      {opened === "codes" && <NewBackupCodes onClose={close} />}
      {opened === "off" && (
        <Dialog title="Turn the second factor off?" onClose={close}>
          <Form
            submit="Turn it off"
            kind="danger"
            actions={<Button onClick={close}>Cancel</Button>}
            onSubmit={async (values) => {
              unwrap(await auth.twoFactor.disable({ password: values.exact("password") }));
              toast("The second factor is off");
              close();
              await refresh();
            }}
          >
            <p>After that, your password alone signs you in.</p>
            <OwnPassword />
          </Form>
        </Dialog>
      )}
    </Card>
  );
}

function NewBackupCodes({ onClose }: { readonly onClose: () => void }) {
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes !== undefined) return <BackupCodes codes={codes} onClose={onClose} />;
  return (
    <Dialog title="New backup codes" onClose={onClose}>
      <Form
        submit="Make new codes"
        actions={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async (values) => {
          const password = values.exact("password");
          setCodes(unwrap(await auth.twoFactor.generateBackupCodes({ password })).backupCodes);
        }}
      >
        <p>Your current codes stop working.</p>
        <OwnPassword />
      </Form>
    </Dialog>
  );
}
