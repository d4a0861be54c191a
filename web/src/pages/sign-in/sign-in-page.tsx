import { useState } from "preact/hooks";
import { ApiError } from "../../api.ts";
import { auth, unwrap } from "../../auth.ts";
import { safePath } from "../../paths.ts";
import { Link, useLocation } from "../../router.tsx";
import { useSession } from "../../session.tsx";
import { Button } from "../../ui/button.tsx";
import { Field, Switch } from "../../ui/field.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { Notice } from "../../ui/notice.tsx";
import { GuestCard } from "./guest-card.tsx";
import { linkFault } from "./link-faults.ts";
import { PasskeyButton } from "./passkey-button.tsx";
import { SignInLink } from "./sign-in-link.tsx";
import { TwoFactorStep } from "./two-factor-step.tsx";

type Step = "password" | "link" | "two-factor";

export function SignInPage() {
  const { refresh } = useSession();
  const { search } = useLocation();
  const query = new URLSearchParams(search);
  const [step, setStep] = useState<Step>(
    query.get("step") === "two-factor" ? "two-factor" : "password",
  );
  const next = safePath(query.get("next"), location.origin);
  /** The guard of the routes then goes on to `next`. */
  const enter = async () => {
    if ((await refresh()) !== undefined) return;
    throw new ApiError({
      status: 401,
      code: "unauthorized",
      message: "Your browser did not keep the sign-in cookie. Allow cookies for this site.",
    });
  };
  if (step === "two-factor") {
    return <TwoFactorStep onDone={enter} onBack={() => setStep("password")} />;
  }
  if (step === "link") return <SignInLink next={next} onBack={() => setStep("password")} />;
  return (
    <PasswordStep
      onDone={enter}
      onLink={() => setStep("link")}
      onSecond={() => setStep("two-factor")}
    />
  );
}

type StepProps = {
  readonly onDone: () => Promise<void>;
  readonly onLink: () => void;
  readonly onSecond: () => void;
};

function PasswordStep({ onDone, onLink, onSecond }: StepProps) {
  const { config, expired } = useSession();
  const fault = linkFault(useLocation().search);
  const send = async (values: FormValues) => {
    const data = unwrap(
      await auth.signIn.email({
        email: values.text("email"),
        password: values.exact("password"),
        rememberMe: values.checked("remember"),
        callbackURL: "/verify",
      }),
    );
    if (data !== null && "twoFactorRedirect" in data) return onSecond();
    await onDone();
  };
  return (
    <GuestCard title="Sign in" foot={<SignUpHint signup={config.signup} />}>
      {expired && <Notice>Your session has ended. Sign in to continue.</Notice>}
      {fault !== undefined && <Notice tone="warn">{fault}</Notice>}
      <Form submit="Sign in" onSubmit={send}>
        <Field name="email" label="E-mail" type="email" autoComplete="username" required />
        <div class="field-beside">
          <Field
            name="password"
            label="Password"
            type="password"
            autoComplete="current-password"
            required
          />
          {config.mail && (
            <Link to="/forgot" class="field-link">
              Forgotten?
            </Link>
          )}
        </div>
        <Switch name="remember" label="Keep me signed in on this device" initial />
      </Form>
      <div class="or" aria-hidden="true">
        or
      </div>
      <div class="stack-tight">
        <PasskeyButton onDone={onDone} />
        {config.mail && (
          <Button icon="mail" onClick={onLink}>
            E-mail me a link instead
          </Button>
        )}
      </div>
    </GuestCard>
  );
}

function SignUpHint({ signup }: { readonly signup: "open" | "invite" | "closed" }) {
  if (signup === "closed") return <>The operator of this gateway creates its accounts.</>;
  return (
    <>
      {signup === "open" ? "New here? " : "Invited? "}
      <Link to="/sign-up">Sign up</Link>
    </>
  );
}
