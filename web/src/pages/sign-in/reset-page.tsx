import { auth, unwrap } from "../../auth.ts";
import { navigate, useLocation } from "../../router.tsx";
import { useSession } from "../../session.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Form } from "../../ui/form.tsx";
import { GuestCard } from "./guest-card.tsx";
import { PasswordField } from "./password-field.tsx";

/** Where the link of a forgotten password ends. */
export function ResetPage() {
  const { refresh } = useSession();
  const query = new URLSearchParams(useLocation().search);
  const token = query.get("token");
  // In the address, since the page begins anew when the session of this browser ends with it.
  if (query.has("done")) {
    return (
      <GuestCard
        title="Your new password is set"
        lead="All sessions have ended. Sign in with the new password."
      >
        <div class="row">
          <ButtonLink to="/sign-in" kind="primary">
            Sign in
          </ButtonLink>
        </div>
      </GuestCard>
    );
  }
  if (token === null) {
    return (
      <GuestCard
        title="This link does not work"
        lead="It has expired, was already used, or was not copied in full. Request a new one."
      >
        <div class="row">
          <ButtonLink to="/forgot" kind="primary">
            Request a new link
          </ButtonLink>
        </div>
      </GuestCard>
    );
  }
  return (
    <GuestCard title="New password" lead="This ends all sessions on every device.">
      <Form
        submit="Set the password"
        onSubmit={async (values) => {
          const newPassword = values.exact("password");
          unwrap(await auth.resetPassword({ newPassword, token }));
          navigate("/reset?done", { replace: true });
          await refresh();
        }}
      >
        <PasswordField label="New password" />
      </Form>
    </GuestCard>
  );
}
