const NAME_MAX_LENGTH = 100;

/** One line of bounded length; of the e-mail where nothing is left of the name. */
export function tidyName(name: string, email = ""): string {
  return tidied(name) || tidied(email.split("@")[0] ?? "");
}

const tidied = (name: string): string =>
  name
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, NAME_MAX_LENGTH);
