import type { Mail } from "./mailer.ts";

type Text = {
  readonly subject: string;
  /** Paragraphs. */
  readonly lines: readonly string[];
  /** The aim of the mail: a button, and the address itself for those whose program shows none. */
  readonly link?: { readonly label: string; readonly url: string };
  readonly after?: readonly string[];
};

/** A person has signed up and must show that the address is theirs. */
export function verificationMail(to: string, url: string): Mail {
  return mail(to, {
    subject: "Confirm your e-mail address",
    lines: ["Someone, we assume you, signed up for Tollgate with this e-mail address."],
    link: { label: "Confirm and sign in", url },
    after: [
      "The link works for an hour. In a browser other than the one you signed up in, it asks for your password.",
      "If it was not you, ignore this e-mail: nobody can sign in with your address.",
    ],
  });
}

/** Somebody signed up with an address that a person has signed up with before. */
export function alreadySignedUpMail(to: string, urls: { signIn: string; forgot: string }): Mail {
  return mail(to, {
    subject: "You already have an account",
    lines: [
      "Someone, we assume you, signed up for Tollgate with this e-mail address, which already has an account.",
    ],
    link: { label: "Sign in", url: urls.signIn },
    after: [
      `If you have forgotten the password: ${urls.forgot}`,
      "If it was not you, ignore this e-mail.",
    ],
  });
}

/** A person has forgotten the password, or never had one. */
export function resetMail(to: string, url: string): Mail {
  return mail(to, {
    subject: "Set a new password",
    lines: ["Someone, we assume you, asked to set a new password for Tollgate."],
    link: { label: "Set a new password", url },
    after: [
      "The link works once, for an hour. All sessions end when a new password is set.",
      "If it was not you, ignore this e-mail: your password stays as it is.",
    ],
  });
}

/** The password was changed; who did not do it has to know. */
export function passwordChangedMail(to: string, urls: { forgot: string }): Mail {
  const told = mail(to, {
    subject: "Your password was changed",
    lines: ["The password of your Tollgate account was changed just now."],
    after: [`If it was not you, set a new one now: ${urls.forgot}`],
  });
  return { ...told, isOwed: true };
}

/** Signs in whoever opens it, once. */
export function signInMail(to: string, url: string): Mail {
  return mail(to, {
    subject: "Your link to sign in",
    lines: ["Here is the link to sign in to Tollgate that you asked for."],
    link: { label: "Sign in", url },
    after: ["It works once, for 15 minutes.", "If you did not ask for it, ignore this e-mail."],
  });
}

/** An owner has added a member, or an operator has made an account. `by`: that person's e-mail. */
export function invitationMail(
  to: string,
  invitation: { readonly by: string; readonly url: string; readonly account?: string },
): Mail {
  const { by, url, account } = invitation;
  const what = account === undefined ? "created an account for you" : `added you to ${account}`;
  return mail(to, {
    subject: "You are invited to Tollgate",
    lines: [`${by} ${what} on Tollgate, a gateway for blockchain nodes.`],
    link: { label: "Sign up or sign in", url },
    after: [`Use this e-mail address, ${to}: the invitation is only for this address.`],
  });
}

/** A share of the day's credits is used. */
export function alertMail(
  to: string,
  alert: {
    readonly account: string;
    readonly threshold: number;
    readonly used: number;
    readonly limit: number;
    readonly url: string;
  },
): Mail {
  const { account, threshold, used, limit, url } = alert;
  const count = (value: number) => value.toLocaleString("en-US");
  const all = threshold >= 100;
  return mail(to, {
    subject: all
      ? `All of today's credits are used: ${account}`
      : `${threshold} % of today's credits are used: ${account}`,
    lines: [
      `${account} has used ${count(used)} of today's ${count(limit)} credits.`,
      all
        ? "Calls are refused with status 402 until 00:00 UTC, when the balance returns."
        : "The balance returns at 00:00 UTC.",
    ],
    link: { label: "See the usage", url },
  });
}

function mail(to: string, { subject, lines, link, after = [] }: Text): Mail {
  const text = [...lines, ...(link ? [`${link.label}: ${link.url}`] : []), ...after];
  const html = [
    ...lines.map(paragraph),
    ...(link ? [`<p><a href="${escaped(link.url)}">${escaped(link.label)}</a></p>`] : []),
    ...(link ? [paragraph(link.url)] : []),
    ...after.map(paragraph),
  ];
  return {
    to,
    subject: `${oneLine(subject)} - Tollgate`,
    text: `${text.map(oneLine).join("\n\n")}\n`,
    html: `<!doctype html><html lang="en"><body>${html.join("")}</body></html>\n`,
  };
}

const paragraph = (text: string): string => `<p>${escaped(oneLine(text))}</p>`;

/** Names come from people: no line of theirs may begin one of the mail's own. */
const oneLine = (text: string): string => text.replace(/[\r\n]+/g, " ");

const ENTITIES: Readonly<Record<string, string>> = Object.freeze({
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
});
const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => ENTITIES[one] ?? one);
