import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export type ReceivedMail = {
  readonly to: string;
  readonly subject: string;
  /** The plain part, its lines whole again. */
  readonly text: string;
  /** As it came over the wire. */
  readonly source: string;
};

export type Mailbox = {
  /** As `mail.url`. */
  readonly url: string;
  /** All so far. */
  readonly mails: readonly ReceivedMail[];
  /** The next mail to that address that no call has returned before. @throws after 5 s */
  readonly next: (to: string) => Promise<ReceivedMail>;
  /** What the server answers to each recipient from now on; undefined: it takes the mail. */
  readonly refuse: (fault: { readonly code: number; readonly text: string } | undefined) => void;
  readonly close: () => Promise<void>;
};

const WAIT_MS = 5000;
const USER = "console";
const PASSWORD = "a-password-of-mail";

/** A real SMTP server that keeps what it gets; it wants the user and password of its URL. */
export async function openMailbox(): Promise<Mailbox> {
  const mails: ReceivedMail[] = [];
  const taken = new Set<ReceivedMail>();
  const waiting = new Set<() => void>();
  let fault: { code: number; text: string } | undefined;
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      username === USER && password === PASSWORD
        ? done(null, { user: username })
        : done(Object.assign(new Error("wrong user or password"), { responseCode: 535 })),
    onRcptTo: (_address, _session, done) =>
      fault === undefined
        ? done()
        : done(Object.assign(new Error(fault.text), { responseCode: fault.code })),
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const source = Buffer.concat(chunks).toString("utf8");
        mails.push(read(source, envelope.rcptTo[0]?.address ?? ""));
        for (const wake of waiting) wake();
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  const next = async (to: string) => {
    const late = Date.now() + WAIT_MS;
    for (;;) {
      const found = mails.find((mail) => mail.to === to && !taken.has(mail));
      if (found !== undefined) {
        taken.add(found);
        return found;
      }
      const leftMs = late - Date.now();
      if (leftMs <= 0) throw new Error(`no mail came to ${to}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  };
  return {
    url: `smtp://${USER}:${PASSWORD}@127.0.0.1:${port}`,
    mails,
    next,
    refuse: (wanted) => {
      fault = wanted;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

export const MAIL_PASSWORD = PASSWORD;

function read(source: string, to: string): ReceivedMail {
  const subject = /^Subject: (.*)$/m.exec(source)?.[1]?.trim() ?? "";
  const part = /Content-Type: text\/plain[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(source);
  const encoded = part?.[0] ?? "";
  const text = part?.[1] ?? "";
  return { to, subject, source, text: /quoted-printable/.test(encoded) ? unquoted(text) : text };
}

const unquoted = (text: string): string =>
  text
    .replace(/=\r?\n/g, "")
    .replace(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** The link of a mail. */
export function linkIn({ text }: ReceivedMail): string {
  const link = /https?:\/\/\S+/.exec(text)?.[0];
  if (link === undefined) throw new Error(`no link in: ${text}`);
  return link;
}
