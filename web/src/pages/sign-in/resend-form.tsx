import { toast } from "../../announce.tsx";
import { auth, unwrap } from "../../auth.ts";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";

/** Sends the mail that confirms an address again. */
export function ResendForm({ email }: { readonly email?: string }) {
  return (
    <Form
      submit="Send the mail again"
      kind="plain"
      onSubmit={async (values) => {
        const address = values.text("email");
        unwrap(await auth.sendVerificationEmail({ email: address, callbackURL: "/verify" }));
        toast(`A new mail is on its way to ${address}, if it signed up and is not confirmed yet.`);
      }}
    >
      <Field
        name="email"
        label="E-mail"
        type="email"
        autoComplete="email"
        initial={email}
        required
      />
    </Form>
  );
}
