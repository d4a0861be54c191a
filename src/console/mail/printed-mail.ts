import type { Mailer } from "./mailer.ts";

/**
 * Mail of `tollgate dev`: lines on standard output in place of a mail server. They are none of the
 * log, which holds no link that signs somebody in.
 */
export function printedMail(print: (text: string) => void): Mailer {
  return {
    send: async ({ to, subject, text }) => {
      const link = /https?:\/\/\S+/.exec(text)?.[0];
      print(`Mail to ${to}: ${subject}\n${link === undefined ? "" : `  ${link}\n`}`);
    },
    close: () => undefined,
  };
}
