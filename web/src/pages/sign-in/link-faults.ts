/** What the address says after a link that did not work, by the server's code. */
const TEXTS: Readonly<Record<string, string>> = {
  INVALID_TOKEN: "This link has expired or was already used. Request a new one below.",
  EXPIRED_TOKEN: "This link has expired. Request a new one below.",
  TOKEN_EXPIRED: "This link has expired. Request a new one below.",
  ATTEMPTS_EXCEEDED: "This link was already used. Request a new one below.",
  USER_NOT_FOUND: "There is no account for this e-mail. Sign up first.",
  SIGN_UP_REFUSED: "This e-mail address has not been invited. Ask for an invitation.",
};

/** The text for an `?error=`, undefined where there is none. */
export function linkFault(search: string): string | undefined {
  const code = new URLSearchParams(search).get("error");
  if (code === null) return undefined;
  return TEXTS[code.toUpperCase()] ?? "This link does not work. Request a new one below.";
}
