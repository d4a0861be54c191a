import type { Config } from "../config/schema.ts";

export type Ports = {
  /** To open; 0: a free one. */
  readonly console: number;
  /** The port that the gateway has taken. */
  readonly gateway: number;
  /** Undefined where it is not open. */
  readonly admin: number | undefined;
};

export type ConsoleStart = {
  readonly kind: "start";
  readonly config: Config;
  readonly ports: Ports;
  /** Mail is printed, and sent to nobody. */
  readonly printsMail: boolean;
  /** Where it cannot start, the next port is tried: another program may have taken this one. */
  readonly movesOn: boolean;
};

/** From the gateway's process to the dashboard's. */
export type ToConsole =
  | ConsoleStart
  /** Asks for a link that signs the owner of this e-mail in. */
  | { readonly kind: "link"; readonly email: string }
  | { readonly kind: "stop" };

/** From the dashboard's process to the gateway's. */
export type FromConsole =
  | { readonly kind: "serving"; readonly port: number; readonly publicUrl: string }
  | { readonly kind: "link"; readonly url: string }
  /** It could not start, for this reason, and ends. */
  | { readonly kind: "failed"; readonly text: string };
