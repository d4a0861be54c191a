/** What the address says after a link that did not work, by the server's code. */
const TEXTS: Readonly<Record<string, string>> = {
  INVALID_TOKEN: "This link was used before or is too old. Ask for a new one below.",
  EXPIRED_TOKEN: "This link is too old. Ask for a new one below.",
  TOKEN_EXPIRED: "This link is too old. Ask for a new one below.",
  ATTEMPTS_EXCEEDED: "This link was used before. Ask for a new one below.",
  USER_NOT_FOUND: "Nobody has signed up with this e-mail. Sign up first.",
  SIGN_UP_REFUSED: "This e-mail address is not invited. Ask for an invitation.",
};

/** The text for an `?error=`, undefined where there is none. */
export function linkFault(search: string): string | undefined {
  const code = new URLSearchParams(search).get("error");
  if (code === null) return undefined;
  return TEXTS[code.toUpperCase()] ?? "This link does not work. Ask for a new one below.";
}
