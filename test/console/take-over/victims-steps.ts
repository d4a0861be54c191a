import type { Browser } from "../support/browser.ts";
import { linkIn } from "../support/mailbox.ts";
import { oneTimeCode } from "../support/one-time-code.ts";
import { addPasskey, signIn, signUp, usePasskey, whoIsIn } from "./person.ts";
import { demand, type Scene, VICTIMS } from "./scene.ts";
import type { Steps } from "./strangers-steps.ts";

const STEP_MS = 30_000;

export const VICTIMS_STEPS: Steps = {
  "the victim is made a customer": async (scene) => {
    if ((await scene.desk.storage.accounts.findByEmail(scene.email)) === undefined) {
      await scene.desk.account(scene.email, { operator: true });
    }
    scene.isInvited = true;
  },
  "the victim signs up": async (scene) => {
    await signUp(scene.home, scene.email, VICTIMS);
    await scene.mailComes();
  },
  "the victim opens a mail at home": (scene, pick) => openMail(scene, scene.home, pick),
  "the victim opens a mail on the phone": (scene, pick) => openMail(scene, scene.phone, pick),
  "the victim asks for a link": async (scene) => {
    const body = { email: scene.email, callbackURL: "/" };
    await scene.home.post("/api/auth/sign-in/magic-link", body);
    await scene.mailComes();
  },
  "the victim asks for a new password": async (scene) => {
    await scene.home.post("/api/auth/request-password-reset", { email: scene.email });
    await scene.mailComes(scene.isUser);
  },
  "the victim signs in by password": enterPassword,
  "the victim adds a passkey": async (scene) => {
    if (scene.hasPasskey) return;
    scene.hasPasskey = await addPasskey(scene.home, scene.victimsPasskey);
  },
  "the victim signs in by passkey": async (scene) => {
    if (!scene.hasPasskey) return;
    const entered = await usePasskey(scene.phone, scene.victimsPasskey);
    demand(entered.status === 200, "the victim's passkey is refused");
  },
  "the victim turns on a second factor": turnOnSecondFactor,
  "the victim looks at the sessions": async ({ home }) => {
    const cookie = [...home.cookies].find(([name]) => name.endsWith("session_token"));
    const [token = ""] = decodeURIComponent(cookie?.[1] ?? "").split(".");
    if (token === "") return;
    const { text } = await home.get("/api/auth/list-sessions");
    demand(!text.includes(token), "a script sees the token of a session");
  },
  "the victim signs out": async ({ home }) => {
    await home.post("/api/auth/sign-out");
  },
};

/** Any that came, whoever made the console send it; as a person who trusts it does what it says. */
async function openMail(scene: Scene, browser: Browser, pick: (end: number) => number) {
  const mails = scene.mails();
  const mail = mails[pick(mails.length)];
  if (mail === undefined) return;
  const isFirst = !scene.opened.has(mail);
  scene.opened.add(mail);
  const link = linkIn(mail);
  const { pathname, searchParams } = new URL(link);
  const token = searchParams.get("token");
  if (pathname === "/api/auth/verify-email") return confirm(scene, browser, link);
  if (pathname === "/reset") return reset(scene, browser, token);
  if (pathname === "/sign-up") {
    await signUp(browser, scene.email, VICTIMS);
    return scene.mailComes();
  }
  if (pathname !== "/api/auth/magic-link/verify") return;
  const wasIn = (await whoIsIn(browser)) !== undefined;
  await browser.get(link);
  if (wasIn) return;
  const isIn = (await whoIsIn(browser)) !== undefined;
  if (isIn) demand(isFirst, "a link signs in twice");
  if (isIn) demand(scene.totpUri === undefined, "a link needs no second factor");
}

async function confirm(scene: Scene, browser: Browser, link: string) {
  const { headers } = await browser.get(link);
  const target = headers.get("location") ?? "";
  const token = new URL(target, scene.desk.origin).searchParams.get("confirm");
  if (token === null) {
    if (target === "/") scene.password = VICTIMS;
    return;
  }
  const body = { token, password: VICTIMS };
  const confirmed = await browser.post("/api/auth/confirm-sign-up", body);
  if (confirmed.status === 200) scene.password = VICTIMS;
}

async function reset(scene: Scene, browser: Browser, token: string | null) {
  scene.resets += 1;
  const newPassword = `the victim's new password ${scene.resets}`;
  const done = await browser.post("/api/auth/reset-password", { token, newPassword });
  if (done.status !== 200) return;
  scene.password = newPassword;
  for (const each of [scene.home, scene.phone]) {
    demand((await whoIsIn(each)) === undefined, "a session outlives a new password");
  }
}

async function enterPassword(scene: Scene) {
  const { email, password, totpUri, desk } = scene;
  if (password === undefined) return;
  const browser = desk.browser();
  const entered = await signIn(browser, email, password);
  if (entered.status !== 200) return;
  const isIn = (await whoIsIn(browser)) !== undefined;
  demand(
    isIn === (totpUri === undefined),
    "a password lets in with the second factor, or not without",
  );
  if (totpUri === undefined) return;
  const code = oneTimeCode(totpUri);
  const verify = (where: Browser) => where.post("/api/auth/two-factor/verify-totp", { code });
  if ((await verify(browser)).status !== 200) return;
  const again = desk.browser();
  await signIn(again, email, password);
  await verify(again);
  demand((await whoIsIn(again)) === undefined, "a code lets in twice");
}

async function turnOnSecondFactor(scene: Scene) {
  const { home, password } = scene;
  if (password === undefined || scene.totpUri !== undefined) return;
  const enabled = await home.post("/api/auth/two-factor/enable", { password });
  if (enabled.status !== 200) return;
  const { totpURI } = enabled.json as { readonly totpURI: string };
  // Each code works once: that of now is for what follows.
  const code = oneTimeCode(totpURI, Date.now() - STEP_MS);
  const verified = await home.post("/api/auth/two-factor/verify-totp", { code });
  if (verified.status === 200) scene.totpUri = totpURI;
}
