import { useSession } from "../../session.tsx";
import { PageHead } from "../../ui/display.tsx";
import { LookCard } from "./look-card.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";
import { PasswordCard } from "./password-card.tsx";
import { ProfileCard } from "./profile-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";
import { TwoFactorCard } from "./two-factor-card.tsx";

export function SettingsPage() {
  const { me } = useSession();
  return (
    <>
      <PageHead title="Settings">How you sign in, and how the dashboard looks.</PageHead>
      <div class="columns">
        <div class="stack">
          <ProfileCard key={me?.user.name} />
          <PasswordCard />
          <LookCard />
        </div>
        <div class="stack">
          <TwoFactorCard />
          <PasskeysCard />
        </div>
      </div>
      <SessionsCard />
    </>
  );
}
