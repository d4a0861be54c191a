import { cutText } from "../../lib/cut-text.ts";

/** No fault repeats more than this of what the client sent. */
const ECHO_CHARACTERS = 100;

/**
 * A parameter is wrong. From a parameter's `check` the message is the node's own text; from
 * `checkParams` it is the whole text that the client is given (-32602).
 */
export class ParamFault extends Error {
  /** The node gives this text without `invalid argument N: ` before it. */
  readonly whole: boolean;

  constructor(text: string, options: ErrorOptions & { readonly whole?: boolean } = {}) {
    super(text, options);
    this.whole = options.whole ?? false;
  }
}

/** The text that the client sent, quoted for a fault's text, and cut where it is long. */
export function quote(text: string): string {
  return JSON.stringify(cutText(text, ECHO_CHARACTERS));
}
