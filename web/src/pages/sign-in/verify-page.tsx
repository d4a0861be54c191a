import { Link, useLocation } from "../../router.tsx";
import { useSession } from "../../session.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { GuestCard } from "./guest-card.tsx";
import { linkFault } from "./link-faults.ts";
import { ResendForm } from "./resend-form.tsx";

/** Where the link that confirms an e-mail ends: done, or why not. */
export function VerifyPage() {
  const { me } = useSession();
  const fault = linkFault(useLocation().search);
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
        <ResendForm />
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
          {me === undefined ? "Sign in" : "To the API keys"}
        </ButtonLink>
      </div>
    </GuestCard>
  );
}
