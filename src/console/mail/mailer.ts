import { createTransport } from "nodemailer";

export type Mail = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The owner has to learn it: it is sent however much was sent before. */
  readonly isOwed?: boolean;
};

/** Sends mail, one at a time for each connection to the server. */
export type Mailer = {
  /** Resolves once the mail server has taken it. @throws MailError */
  readonly send: (mail: Mail) => Promise<void>;
  readonly close: () => void;
};

/** The mail server did not take a mail; the text is fit for people and holds no password. */
export class MailError extends Error {
  override readonly name = "MailError";
}

/** A server that hangs must not keep the person who waits for it longer than a page would. */
const CONNECT_MS = 8000;
const SOCKET_MS = 15_000;

/** `url`: `smtp://user:password@host:port`, or `smtps://…`. */
export function smtpMailer({ url, from }: { readonly url: string; readonly from: string }): Mailer {
  const transport = createTransport({
    ...transportOptions(url),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SOCKET_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async (mail) => {
      try {
        const { to, subject, text, html } = mail;
        const sender = { name: "Tollgate", address: from };
        await transport.sendMail({ to, subject, text, html, from: sender });
      } catch (error) {
        throw new MailError(reasonOf(error), { cause: error });
      }
    },
    close: () => transport.close(),
  };
}

/** Read here, because a parser of a library might show the password in the error that it throws. */
function transportOptions(text: string) {
  const { protocol, hostname, port, username, password } = new URL(text);
  const secure = protocol === "smtps:";
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    ...(username !== "" && { auth }),
  };
}

/** The kind and the server's status, and not its words: servers repeat what they were sent. */
function reasonOf(error: unknown): string {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  const reasons: Record<string, string> = {
    EAUTH: "the mail server refused the user or the password of mail.url",
    EENVELOPE: "the mail server refused the sender or the recipient",
    EMESSAGE: "the mail server refused the message",
    ETLS: "the mail server's TLS failed",
    EDNS: "the mail server's name was not found",
    ECONNECTION: "the mail server cannot be reached",
    ESOCKET: "the mail server cannot be reached",
    ETIMEDOUT: "the mail server did not answer in time",
  };
  const reason = reasons[String(code)] ?? "the mail server did not take the mail";
  return typeof responseCode === "number" ? `${reason} (SMTP ${responseCode})` : reason;
}
