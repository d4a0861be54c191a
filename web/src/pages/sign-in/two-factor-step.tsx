import { useState } from "preact/hooks";
import { auth, unwrap } from "../../auth.ts";
import { Button } from "../../ui/button.tsx";
import { Field, Switch } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { GuestCard } from "./guest-card.tsx";

type Props = { readonly onDone: () => Promise<void>; readonly onBack: () => void };

/** After the password: the code of the app, or one of the backup codes. */
export function TwoFactorStep({ onDone, onBack }: Props) {
  const [backup, setBackup] = useState(false);
  const other = (
    <Button kind="quiet" onClick={() => setBackup(!backup)}>
      {backup ? "Use the app" : "Use a backup code"}
    </Button>
  );
  const back = (
    <Button kind="quiet" icon="previous" onClick={onBack}>
      Back to the password
    </Button>
  );
  if (backup) {
    return (
      <GuestCard title="Backup code" lead="Each code works once." foot={back}>
        <Form
          key="backup"
          submit="Sign in"
          actions={other}
          onSubmit={async (values) => {
            unwrap(await auth.twoFactor.verifyBackupCode({ code: values.text("code") }));
            await onDone();
          }}
        >
          <Field name="code" label="Backup code" autoComplete="off" required mono />
        </Form>
      </GuestCard>
    );
  }
  return (
    <GuestCard
      title="Second factor"
      lead="Open your authenticator app and enter its code."
      foot={back}
    >
      <Form
        key="app"
        submit="Sign in"
        actions={other}
        onSubmit={async (values) => {
          const trustDevice = values.checked("trust");
          unwrap(await auth.twoFactor.verifyTotp({ code: values.text("code"), trustDevice }));
          await onDone();
        }}
      >
        <CodeField />
        <Switch name="trust" label="Do not ask on this device for 30 days" />
      </Form>
    </GuestCard>
  );
}

/** Six digits of an authenticator app. */
export function CodeField() {
  return (
    <Field
      name="code"
      label="Code"
      inputMode="numeric"
      autoComplete="one-time-code"
      pattern="[0-9]{6}"
      maxLength={6}
      wrong="Enter the six digits your app shows."
      required
      mono
    />
  );
}
