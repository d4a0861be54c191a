import type { AlertDelivery, AlertSettings } from "../../storage/console-stores.ts";
import type { ApiParts } from "../api/parts.ts";
import { alertMail } from "../mail/texts.ts";
import type { AlertMessage } from "./alert-message.ts";
import { postWebhook, type Resolve, systemResolve } from "./webhook-call.ts";
import { signedHeaders } from "./webhook-signature.ts";

export type SenderParts = Pick<ApiParts, "mailer" | "publicUrl" | "clock" | "console"> & {
  readonly resolve?: Resolve;
};

/** Brings an alert to a mailbox or a webhook. */
export class AlertSender {
  readonly #parts: SenderParts;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** @throws MailError, or Error where no mail can be sent */
  async mail(to: string, { type, data }: AlertMessage): Promise<void> {
    const { mailer, publicUrl } = this.#parts;
    if (mailer === undefined) throw new Error("this gateway has no mail server");
    const { email: account, threshold, used, limit } = data;
    const mail = alertMail(to, { account, threshold, used, limit, url: publicUrl });
    const isTest = type === "usage.test";
    const trial = { ...mail, subject: `Test alert: ${account}` };
    await mailer.send(isTest ? trial : { ...mail, isOwed: true });
  }

  /** @throws WebhookError */
  async post(
    webhook: NonNullable<AlertSettings["webhook"]>,
    message: { readonly id: string; readonly body: string },
  ): Promise<void> {
    const { clock, console, resolve = systemResolve } = this.#parts;
    const timestamp = Math.floor(clock.now() / 1000);
    const headers = signedHeaders({ ...message, timestamp }, webhook.secret);
    const options = { allowPrivate: console.privateWebhooks, resolve };
    await postWebhook(webhook.url, { headers, body: message.body }, options);
  }

  /** `settings`: the account's as they are now. @throws where it did not arrive */
  async deliver(delivery: AlertDelivery, settings: AlertSettings | undefined): Promise<void> {
    const { to, target, payload, id } = delivery;
    if (to === "email") return this.mail(target, JSON.parse(payload) as AlertMessage);
    const webhook = settings?.webhook;
    // Somebody else's receiver by now: it must not get what was meant for the one before.
    if (webhook?.url !== target) throw new Error("the webhook was changed meanwhile");
    return this.post(webhook, { id, body: payload });
  }
}
