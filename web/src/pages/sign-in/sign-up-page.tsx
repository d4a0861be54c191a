import { useState } from "preact/hooks";
import { auth, unwrap } from "../../auth.ts";
import { Link, useLocation } from "../../router.tsx";
import { useSession } from "../../session.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { GuestCard } from "./guest-card.tsx";
import { PasswordField } from "./password-field.tsx";
import { ResendForm } from "./resend-form.tsx";

export function SignUpPage() {
  const { config } = useSession();
  const { search } = useLocation();
  const [sentTo, setSentTo] = useState<string>();
  const foot = (
    <>
      Signed up before? <Link to="/sign-in">Sign in</Link>
    </>
  );
  if (config.signup === "closed") {
    return (
      <GuestCard
        title="Sign-up is closed"
        lead="The operator of this gateway makes its accounts. Ask them for one."
        foot={foot}
      />
    );
  }
  if (sentTo !== undefined) {
    return (
      <GuestCard
        title="Confirm your e-mail"
        lead={`A mail is on its way to ${sentTo}. Open its link within an hour to sign in.`}
        foot={foot}
      >
        <ResendForm email={sentTo} />
      </GuestCard>
    );
  }
  return (
    <GuestCard
      title="Sign up"
      lead={
        config.signup === "invite"
          ? "By invitation: use the e-mail address that was invited."
          : "An account, a first key, and what it costs: a minute."
      }
      foot={foot}
    >
      <Form
        submit="Sign up"
        onSubmit={async (values) => {
          const email = values.text("email");
          const name = values.text("name");
          const password = values.exact("password");
          unwrap(await auth.signUp.email({ email, name, password, callbackURL: "/verify" }));
          setSentTo(email);
        }}
      >
        <Field name="name" label="Your name" autoComplete="name" maxLength={100} required />
        <Field
          name="email"
          label="E-mail"
          type="email"
          autoComplete="username"
          initial={new URLSearchParams(search).get("email") ?? undefined}
          required
        />
        <PasswordField />
      </Form>
    </GuestCard>
  );
}
