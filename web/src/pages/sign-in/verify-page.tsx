import { confirmSignUp } from "../../auth.ts";
import { Link, navigate, useLocation } from "../../router.tsx";
import { useSession } from "../../session.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Notice } from "../../ui/notice.tsx";
import { GuestCard } from "./guest-card.tsx";
import { linkFault } from "./link-faults.ts";

/** Where the link that confirms an e-mail ends: done, or why not, or the password is asked for. */
export function VerifyPage() {
  const { me } = useSession();
  const { search } = useLocation();
  const token = new URLSearchParams(search).get("confirm");
  if (token !== null) return <PasswordStep token={token} />;
  const fault = linkFault(search);
  if (fault !== undefined) {
    return (
      <GuestCard
        title="Confirm your e-mail"
        foot={
          <>
            Confirmed already? <Link to="/sign-in">Sign in</Link>
          </>
        }
      >
        <Notice tone="warn">{fault}</Notice>
        <div class="row">
          <ButtonLink to="/sign-up" kind="primary">
            Sign up again
          </ButtonLink>
        </div>
      </GuestCard>
    );
  }
  return (
    <GuestCard
      title="Your e-mail is confirmed"
      lead={
        me === undefined
          ? "Sign in to make your first API key."
          : "You are signed in. The next step is an API key."
      }
    >
      <div class="row">
        <ButtonLink to={me === undefined ? "/sign-in" : "/keys"} kind="primary">
          {me === undefined ? "Sign in" : "Go to API keys"}
        </ButtonLink>
      </div>
    </GuestCard>
  );
}

/** In a browser that did not sign up: somebody else may have, with this e-mail. */
function PasswordStep({ token }: { readonly token: string }) {
  const { refresh } = useSession();
  return (
    <GuestCard
      title="Confirm your e-mail"
      lead="You signed up in another browser. Enter the password you chose there. If you did not sign up, close this page; nothing will happen."
    >
      <Form
        submit="Confirm and sign in"
        onSubmit={async (values) => {
          await confirmSignUp({ token, password: values.exact("password") });
          navigate("/verify", { replace: true });
          await refresh();
        }}
      >
        <Field
          name="password"
          label="Password"
          type="password"
          autoComplete="current-password"
          required
        />
      </Form>
    </GuestCard>
  );
}
