import { ParamFault } from "../../params/param-fault.ts";

type Particulars = ErrorOptions & {
  /** Where in the parameter: `accounts.addresses[3]`; left out for the parameter itself. */
  readonly at?: string;
  /** The right form, where the node's words do not say it. */
  readonly hint?: string | undefined;
  /** The words are the node's whole text; others stand after `Invalid params: `, with a full stop. */
  readonly whole?: boolean;
};

/** A fault in the words that agave 3.0 has for it (serde's, mostly), and where it is. */
export class SerdeFault extends ParamFault {
  readonly at: string;
  readonly hint: string | undefined;

  constructor(words: string, { at = "", hint, ...options }: Particulars = {}) {
    super(words, options);
    this.at = at;
    this.hint = hint;
  }
}

/** The value that `read` gives; its faults say that they are at `step`: a key, or `[index]`. */
export function within<T>(step: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof SerdeFault)) throw cause;
    const { message, hint, whole } = cause;
    const between = cause.at === "" || cause.at.startsWith("[") ? "" : ".";
    throw new SerdeFault(message, { at: `${step}${between}${cause.at}`, hint, whole, cause });
  }
}

/** The whole text for a client: the node's, then where it is and what would be right. */
export function textOf({ message, at, hint, whole }: SerdeFault): string {
  const text = whole ? message : `Invalid params: ${message}.`;
  if (at === "" && hint === undefined) return text;
  const place = at === "" ? "" : `At ${at}`;
  const end = hint === undefined ? place : place === "" ? `Want ${hint}` : `${place}: want ${hint}`;
  return `${text}${whole ? "." : ""} ${end}.`;
}
