import { useState } from "preact/hooks";
import { auth, unwrap } from "../../auth.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { GuestCard } from "./guest-card.tsx";

type Props = { readonly next: string; readonly onBack: () => void };

/** A link by mail in place of a password. The answer is the same whether the e-mail is known. */
export function SignInLink({ next, onBack }: Props) {
  const [sentTo, setSentTo] = useState<string>();
  const back = <Button onClick={onBack}>Back</Button>;
  if (sentTo !== undefined) {
    return (
      <GuestCard
        title="Check your e-mail"
        lead={`If ${sentTo} can sign in here, we have sent it a link. It works once, for 15 minutes.`}
      >
        <div class="row">{back}</div>
      </GuestCard>
    );
  }
  return (
    <GuestCard title="Sign in by link" lead="We will send you a link that signs you in once.">
      <Form
        submit="Send the link"
        actions={back}
        onSubmit={async (values) => {
          const email = values.text("email");
          unwrap(
            await auth.signIn.magicLink({ email, callbackURL: next, errorCallbackURL: "/sign-in" }),
          );
          setSentTo(email);
        }}
      >
        <Field name="email" label="E-mail" type="email" autoComplete="email" required />
      </Form>
    </GuestCard>
  );
}
