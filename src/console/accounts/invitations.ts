import type { ApiParts } from "../api/parts.ts";
import { invitationMail } from "../mail/texts.ts";

/** False where no mail can be sent, or the mail server did not take it: who invites has to tell. */
export async function invite(
  { mailer, publicUrl, log }: Pick<ApiParts, "mailer" | "publicUrl" | "log">,
  to: string,
  invitation: { readonly by: string; readonly account?: string },
): Promise<boolean> {
  if (mailer === undefined) return false;
  // Nobody else is let in: the form begins with the address.
  const url = `${publicUrl}/sign-up?email=${encodeURIComponent(to)}`;
  try {
    await mailer.send(invitationMail(to, { ...invitation, url }));
    return true;
  } catch (error) {
    log.warn({ cause: String(error) }, "an invitation could not be sent");
    return false;
  }
}
