import { useState } from "preact/hooks";
import { toast } from "../../announce.tsx";
import { auth, unwrap } from "../../auth.ts";
import { Link, useLocation } from "../../router.tsx";
import { useSession } from "../../session.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { GuestCard } from "./guest-card.tsx";
import { PasswordField } from "./password-field.tsx";

type SignUp = { readonly email: string; readonly name: string; readonly password: string };

async function signUp(typed: SignUp): Promise<void> {
  unwrap(await auth.signUp.email({ ...typed, callbackURL: "/verify" }));
}

export function SignUpPage() {
  const { config } = useSession();
  const { search } = useLocation();
  const [sent, setSent] = useState<SignUp>();
  const foot = (
    <>
      Already signed up? <Link to="/sign-in">Sign in</Link>
    </>
  );
  if (config.signup === "closed") {
    return (
      <GuestCard
        title="Sign-up is closed"
        lead="The operator of this gateway creates its accounts. Ask them for one."
        foot={foot}
      />
    );
  }
  if (sent !== undefined) {
    return (
      <GuestCard
        title="Confirm your e-mail"
        lead={`We have sent an e-mail to ${sent.email}. Open its link within an hour to sign in. In another browser, you will need your password.`}
        foot={foot}
      >
        <Form
          submit="Send it again"
          kind="plain"
          onSubmit={async () => {
            await signUp(sent);
            toast(`We have sent another e-mail to ${sent.email}.`);
          }}
        />
      </GuestCard>
    );
  }
  return (
    <GuestCard
      title="Sign up"
      lead={
        config.signup === "invite"
          ? "By invitation: use the e-mail address that was invited."
          : "Get an account and your first key in a minute."
      }
      foot={foot}
    >
      <Form
        submit="Sign up"
        onSubmit={async (values) => {
          const email = values.text("email");
          const name = values.text("name");
          const password = values.exact("password");
          await signUp({ email, name, password });
          setSent({ email, name, password });
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
