import { Field } from "../../ui/field.tsx";

/** Asked for before the second factor is changed. */
export function OwnPassword() {
  return (
    <Field
      name="password"
      label="Your password"
      type="password"
      autoComplete="current-password"
      required
    />
  );
}
