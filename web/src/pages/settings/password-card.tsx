import { useState } from "preact/hooks";
import { toast } from "../../announce.tsx";
import { auth, setFirstPassword, unwrap } from "../../auth.ts";
import { Link } from "../../router.tsx";
import { useSession } from "../../session.tsx";
import { Card } from "../../ui/display.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { PasswordField } from "../sign-in/password-field.tsx";

export function PasswordCard() {
  const { me } = useSession();
  return me?.user.hasPassword === false ? <FirstPassword /> : <ChangePassword />;
}

function FirstPassword() {
  const { refresh } = useSession();
  return (
    <Card title="Password" hint="You have no password yet and sign in by link.">
      <Form
        submit="Set the password"
        kind="plain"
        onSubmit={async (values) => {
          await setFirstPassword(values.exact("password"));
          toast("Password set");
          await refresh();
        }}
      >
        <div class="fields">
          <PasswordField />
        </div>
      </Form>
    </Card>
  );
}

function ChangePassword() {
  const { config } = useSession();
  const [round, setRound] = useState(0);
  return (
    <Card
      title="Password"
      hint={
        config.mail && (
          <>
            Forgot it, or have none yet? <Link to="/forgot">Request a link</Link> to set a new one.
          </>
        )
      }
    >
      <Form
        key={round}
        submit="Change the password"
        kind="plain"
        onSubmit={async (values) => {
          unwrap(
            await auth.changePassword({
              currentPassword: values.exact("current"),
              newPassword: values.exact("password"),
              revokeOtherSessions: true,
            }),
          );
          toast("Password changed. Your other sessions have ended");
          setRound(round + 1);
        }}
      >
        <div class="fields">
          <Field
            name="current"
            label="Current password"
            type="password"
            autoComplete="current-password"
            required
          />
          <PasswordField label="New password" />
        </div>
      </Form>
    </Card>
  );
}
