import { useEffect } from "preact/hooks";
import { useSession } from "../session.tsx";
import { Button } from "../ui/button.tsx";
import { PageHead } from "../ui/display.tsx";

/** For a person who is signed in and belongs to no account (any more). */
export function NoAccountPage() {
  const { me, refresh } = useSession();
  useEffect(() => {
    document.title = "No account · Tollgate";
  }, []);
  return (
    <div class="page">
      <PageHead title="You are not a member of any account yet">
        Ask the owner of an account to add {me?.user.email ?? "your e-mail"} as a member, or the
        operator of this gateway to create an account for you. Then refresh this page.
      </PageHead>
      <Button kind="primary" icon="refresh" onClick={() => void refresh()}>
        Refresh
      </Button>
    </div>
  );
}
