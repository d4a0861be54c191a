import { setTimeout as sleep } from "node:timers/promises";
import { SoftPasskey } from "../support/authenticator.ts";
import type { Browser } from "../support/browser.ts";
import type { ReceivedMail } from "../support/mailbox.ts";
import type { TestConsole } from "../support/test-console.ts";
import { askUserTables } from "../support/user-tables.ts";
import { signIn, usePasskey, whoIsIn } from "./person.ts";

export const STRANGERS = "the stranger's own password";
export const VICTIMS = "what the victim wished for";
const MAIL_WAIT_MS = 400;
const MAILS_AN_HOUR = 5;

/** Something that no order of steps may lead to. */
export class Violation extends Error {}

export type SceneOptions = { readonly signup: "invite" | "open"; readonly name: string };

/**
 * Two people at one console. The victim reads the mails to `email`, and opens any of them; the stranger
 * knows the address. Of the console they see what browsers see.
 */
export class Scene {
  readonly desk: TestConsole;
  readonly email: string;
  readonly strangersEmail: string;
  readonly stranger: Browser;
  readonly home: Browser;
  readonly phone: Browser;
  readonly strangersPasskey: SoftPasskey;
  readonly victimsPasskey: SoftPasskey;
  readonly opened = new Set<ReceivedMail>();
  /** Whether the victim may have a user at all. */
  isInvited: boolean;
  /** What the victim set last, and has to get in with. */
  password: string | undefined;
  /** Of the victim's authenticator app, once it is asked for. */
  totpUri: string | undefined;
  hasPasskey = false;
  /** Whether somebody got in with the e-mail before. */
  isUser = false;
  resets = 0;
  #mails = 0;

  constructor(desk: TestConsole, { signup, name }: SceneOptions) {
    this.desk = desk;
    this.email = `victim-${name}@example.com`;
    this.strangersEmail = `stranger-${name}@example.com`;
    this.stranger = desk.browser();
    this.home = desk.browser();
    this.phone = desk.browser();
    this.strangersPasskey = new SoftPasskey(desk.origin);
    this.victimsPasskey = new SoftPasskey(desk.origin);
    this.isInvited = signup === "open";
  }

  /** All that came to the victim so far. */
  mails(): ReceivedMail[] {
    return this.desk.mailbox.mails.filter(({ to }) => to === this.email);
  }

  /** Mails are sent after the answer: waits for the one that a step makes where it makes any. */
  async mailComes(isSent = this.isInvited): Promise<void> {
    if (!isSent || this.#mails >= MAILS_AN_HOUR) return;
    const late = Date.now() + MAIL_WAIT_MS;
    while (this.mails().length === this.#mails && Date.now() < late) await sleep(5);
    this.#mails = this.mails().length;
  }

  /** @throws Violation */
  async check(): Promise<void> {
    await this.#checkStranger(this.stranger);
    for (const browser of [this.home, this.phone]) {
      const me = await whoIsIn(browser);
      if (me === undefined) continue;
      demand(me.user.email === this.email, "the victim is signed in as somebody else");
      this.isUser = true;
      demand(this.isInvited, "somebody got in who was not invited");
    }
  }

  /** What each can do when all steps are over. @throws Violation */
  async checkEnd(): Promise<void> {
    await this.#forgiveAttempts();
    const thief = this.desk.browser();
    const tried = await signIn(thief, this.email, STRANGERS);
    demand(tried.status !== 200, "the stranger's password is taken for the victim's");
    await this.#checkStranger(thief);
    const holder = this.desk.browser();
    await usePasskey(holder, this.strangersPasskey);
    await this.#checkStranger(holder);
    if (this.password === undefined) return;
    await this.#forgiveAttempts();
    const own = await signIn(this.desk.browser(), this.email, this.password);
    demand(own.status === 200, "the victim's own password is refused");
  }

  async #checkStranger(browser: Browser): Promise<void> {
    const me = await whoIsIn(browser);
    if (me === undefined) return;
    demand(me.user.email === this.strangersEmail, "the stranger is in as the victim");
    const accounts = me.accounts.map(({ email }) => email);
    demand(!accounts.includes(this.email), "the stranger is in the victim's account");
  }

  /** As after a day: that a password must wait must not hide that it is the right one. */
  async #forgiveAttempts(): Promise<void> {
    const { storage } = this.desk.config;
    await askUserTables(storage, 'DELETE FROM "attempts" WHERE "name" = ?', this.email);
  }
}

export function demand(holds: boolean, what: string): void {
  if (!holds) throw new Violation(what);
}
