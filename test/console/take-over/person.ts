import type { SoftPasskey } from "../support/authenticator.ts";
import type { Browser, Reply } from "../support/browser.ts";

type Me = {
  readonly user: { readonly email: string };
  readonly accounts: readonly { readonly id: string; readonly email: string }[];
};

/** Who is signed in there; undefined where nobody is. */
export async function whoIsIn(browser: Browser): Promise<Me | undefined> {
  const { status, json } = await browser.get("/api/me");
  return status === 200 ? (json as Me) : undefined;
}

export const signIn = (browser: Browser, email: string, password: string): Promise<Reply> =>
  browser.post("/api/auth/sign-in/email", { email, password });

export const signUp = (browser: Browser, email: string, password: string): Promise<Reply> =>
  browser.post("/api/auth/sign-up/email", { name: "Ada", email, password, callbackURL: "/" });

export async function addPasskey(browser: Browser, passkey: SoftPasskey): Promise<boolean> {
  const options = await browser.get("/api/auth/passkey/generate-register-options");
  if (options.status !== 200) return false;
  const response = passkey.create(options.json as { challenge: string; user: { id: string } });
  const body = { response, name: "Phone" };
  return (await browser.post("/api/auth/passkey/verify-registration", body)).status === 200;
}

export async function usePasskey(browser: Browser, passkey: SoftPasskey): Promise<Reply> {
  const options = await browser.get("/api/auth/passkey/generate-authenticate-options");
  const response = passkey.get(options.json as { challenge: string });
  return browser.post("/api/auth/passkey/verify-authentication", { response });
}
