import type { YAMLError } from "yaml";

const QUOTES = "a value that begins with *, &, !, @, ` or %, or holds { or }, needs quotes";

/** For the codes whose own texts quote the file: it may hold secrets. */
const MESSAGES: Readonly<Record<string, string>> = Object.freeze({
  BAD_ALIAS: `an alias or anchor is malformed; ${QUOTES}`,
  BAD_DIRECTIVE: "a line that begins with % is a directive, and this one is unknown; leave it out",
  BAD_DQ_ESCAPE: "a backslash in double quotes begins no known escape; use single quotes",
  BAD_SCALAR_START: `a value begins with a reserved character; ${QUOTES}`,
  MULTIPLE_DOCS: "a second document begins here (---); the file holds one",
  RESOURCE_EXHAUSTION: "is nested too deeply",
  TAG_RESOLVE_FAILED: `a tag (!) is unknown; ${QUOTES}`,
  UNEXPECTED_TOKEN: `something stands where it can't; ${QUOTES}`,
});

/** A text for a fault of syntax that quotes nothing of the file. */
export function syntaxMessage({ code, message }: YAMLError): string {
  return `is not valid YAML: ${MESSAGES[code] ?? `${message}; ${QUOTES}`}`;
}
