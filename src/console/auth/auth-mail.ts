import type { Logger } from "../../telemetry/log.ts";
import type { Mail, Mailer } from "../mail/mailer.ts";

/**
 * Sends without anybody waiting: how long it takes would tell whether an e-mail is known. A failure
 * goes to the log, with the address and without the text, which holds a link.
 */
export class AuthMail {
  readonly #mailer: Mailer;
  readonly #log: Logger;
  readonly #inAir = new Set<Promise<void>>();

  constructor(mailer: Mailer, log: Logger) {
    this.#mailer = mailer;
    this.#log = log;
  }

  post(mail: Mail): void {
    const sent = this.#send(mail).finally(() => this.#inAir.delete(sent));
    this.#inAir.add(sent);
  }

  /** Resolves when what was posted has been sent, or failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#inAir);
  }

  async #send(mail: Mail): Promise<void> {
    try {
      await this.#mailer.send(mail);
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      this.#log.error({ to: mail.to, subject: mail.subject, cause }, "mail was not sent");
    }
  }
}
