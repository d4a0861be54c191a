import { useState } from "preact/hooks";
import { auth, unwrap } from "../../auth.ts";
import { Link } from "../../router.tsx";
import { useSession } from "../../session.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { GuestCard } from "./guest-card.tsx";

/** Asks for the mail that sets a new password (or a first one). */
export function ForgotPage() {
  const { config, me } = useSession();
  const [sentTo, setSentTo] = useState<string>();
  const back =
    me === undefined ? (
      <Link to="/sign-in">Back to signing in</Link>
    ) : (
      <Link to="/settings">Back to the settings</Link>
    );
  if (!config.mail) {
    return (
      <GuestCard
        title="Forgotten password"
        lead="This gateway sends no mail. Its operator can give you a link to sign in: tollgate accounts link."
        foot={back}
      />
    );
  }
  if (sentTo !== undefined) {
    return (
      <GuestCard
        title="Check your e-mail"
        lead={`If ${sentTo} has an account here, we have sent it a link to set a new password. The link works for an hour.`}
      >
        <div class="row">
          <ButtonLink to={me === undefined ? "/sign-in" : "/settings"}>Back</ButtonLink>
        </div>
      </GuestCard>
    );
  }
  return (
    <GuestCard
      title="Set a new password"
      lead="We will send you a link. Your passkeys and second factor stay as they are."
      foot={back}
    >
      <Form
        submit="Send the link"
        onSubmit={async (values) => {
          const email = values.text("email");
          unwrap(await auth.requestPasswordReset({ email, redirectTo: "/reset" }));
          setSentTo(email);
        }}
      >
        <Field
          name="email"
          label="E-mail"
          type="email"
          autoComplete="username"
          initial={me?.user.email}
          required
        />
      </Form>
    </GuestCard>
  );
}
