import { useState } from "preact/hooks";
import { toast } from "../../announce.tsx";
import { auth, unwrap } from "../../auth.ts";
import { Link } from "../../router.tsx";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { CodeField } from "../sign-in/two-factor-step.tsx";
import { BackupCodes } from "./backup-codes.tsx";
import { OwnPassword } from "./own-password.tsx";
import { QrCode } from "./qr-code.tsx";

type Setup = { readonly uri: string; readonly codes: readonly string[] };

/** Password, then the app's first code, then the backup codes. */
export function TwoFactorSetup({ onClose }: { readonly onClose: () => void }) {
  const [setup, setSetup] = useState<Setup>();
  const [confirmed, setConfirmed] = useState(false);
  if (setup === undefined) return <PasswordStep onClose={onClose} onDone={setSetup} />;
  if (confirmed) return <BackupCodes codes={setup.codes} onClose={onClose} />;
  return <AppStep uri={setup.uri} onClose={onClose} onDone={() => setConfirmed(true)} />;
}

type PasswordProps = {
  readonly onClose: () => void;
  readonly onDone: (setup: Setup) => void;
};

function PasswordStep({ onClose, onDone }: PasswordProps) {
  return (
    <Dialog title="Turn on the second factor" onClose={onClose}>
      <Form
        submit="Continue"
        actions={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async (values) => {
          const made = unwrap(
            await auth.twoFactor.enable({ password: values.exact("password"), method: "totp" }),
          );
          if (made.method === "totp") onDone({ uri: made.totpURI, codes: made.backupCodes });
        }}
      >
        <p>
          You need an authenticator app on your phone, and your password. If you have none yet
          because you sign in by links, <Link to="/forgot">set one</Link> first.
        </p>
        <OwnPassword />
      </Form>
    </Dialog>
  );
}

type AppProps = {
  readonly uri: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
};

function AppStep({ uri, onClose, onDone }: AppProps) {
  const secret = new URL(uri).searchParams.get("secret") ?? "";
  return (
    <Dialog title="Add it to your app" onClose={onClose}>
      <div class="stack">
        <p>
          Scan this with the app. On the phone itself, <a href={uri}>open the app with it</a>; or
          add an account by hand, of type <b>time-based</b>, with the key below.
        </p>
        <QrCode text={uri} label="The app's key, to scan" />
        <Code label="The app's key" text={inGroups(secret)} wrap />
        <Form
          submit="Turn it on"
          actions={<Button onClick={onClose}>Cancel</Button>}
          onSubmit={async (values) => {
            unwrap(await auth.twoFactor.verifyTotp({ code: values.text("code") }));
            toast("The second factor is on");
            onDone();
          }}
        >
          <p>Then enter the code it shows.</p>
          <CodeField />
        </Form>
      </div>
    </Dialog>
  );
}

/** In groups of four it can be typed without losing one's place; apps ignore the spaces. */
function inGroups(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(" ") ?? secret;
}
