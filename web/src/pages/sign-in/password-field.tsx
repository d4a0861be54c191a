import { Field } from "../../ui/field.tsx";

/** A password that is set anew. */
export function PasswordField({ label = "Password" }: { readonly label?: string }) {
  return (
    <Field
      name="password"
      label={label}
      type="password"
      autoComplete="new-password"
      minLength={8}
      maxLength={128}
      hint="8 to 128 characters. A sentence is easy to remember and hard to guess."
      required
    />
  );
}
