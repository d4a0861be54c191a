import type { Clock } from "../../lib/clock.ts";
import { type Mail, MailError, type Mailer } from "./mailer.ts";

const HOUR_MS = 3_600_000;
const MAILS_AN_HOUR = 5;
/** When those whose hour is over are looked for. */
const MANY_ADDRESSES = 1000;

/**
 * Sends no more than so many mails an hour to one address, whoever asks for them: strangers make the
 * console write to addresses of their choice. What the owner has to learn (`Mail.isOwed`) is sent always.
 */
export function boundedMailer(mailer: Mailer, clock: Pick<Clock, "monotonic">): Mailer {
  let sent = new Map<string, readonly number[]>();
  const recent = (times: readonly number[]) =>
    times.filter((time) => clock.monotonic() - time < HOUR_MS);
  const take = (to: string): boolean => {
    const address = to.trim().toLowerCase();
    const times = recent(sent.get(address) ?? []);
    if (times.length >= MAILS_AN_HOUR) return false;
    sent.set(address, [...times, clock.monotonic()]);
    if (sent.size > MANY_ADDRESSES) {
      const all = [...sent].map(([each, taken]) => [each, recent(taken)] as const);
      sent = new Map(all.filter(([, taken]) => taken.length > 0));
    }
    return true;
  };
  return {
    close: mailer.close,
    send: async (mail: Mail) => {
      if (mail.isOwed === true || take(mail.to)) return mailer.send(mail);
      throw new MailError(`${MAILS_AN_HOUR} mails were sent to this address within an hour; wait`);
    },
  };
}
