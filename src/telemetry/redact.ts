/** To the next space or quotation mark: a password may hold any other character. */
const URL_WITH_REST = /\b([a-z][a-z0-9+.-]*):\/\/[^\s"\\]+/gi;
/** Keys of calls, and tokens of the dashboard's API. */
const API_KEY = /(tgt?_)[1-9A-HJ-NP-Za-km-z]{8,}/g;

/**
 * Text without what must not be read in a log: URLs (an upstream's hold keys and passwords) keep
 * their scheme alone, and API keys their beginning.
 */
export function redact(text: string): string {
  return redactKeys(text.replace(URL_WITH_REST, "$1://[redacted]"));
}

/** API keys and tokens alone: for texts that repeat what a client sent, who may have put its key there. */
export function redactKeys(text: string): string {
  return text.replace(API_KEY, "$1[redacted]");
}
