import { navigate } from "../router.tsx";
import { forgetAccount, useSession } from "../session.tsx";
import { ActionButton } from "../ui/button.tsx";

export function SignOut() {
  const { refresh } = useSession();
  const signOut = async () => {
    // Loaded only now, so that pages of signed-in people do without the client's code.
    const { auth, unwrap } = await import("../auth.ts");
    unwrap(await auth.signOut());
    forgetAccount();
    await refresh();
    // Not back to this page: the next person to sign in here may be another one.
    navigate("/sign-in", { replace: true });
  };
  return (
    <ActionButton kind="quiet" icon="sign-out" action={signOut}>
      Sign out
    </ActionButton>
  );
}
