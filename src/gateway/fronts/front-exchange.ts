import type { RpcError } from "../../jsonrpc/errors.ts";
import type { Exchange } from "../../wire/server/exchange.ts";
import type { Address } from "./address.ts";
import type { Reading } from "./reception.ts";

/** Notes of a head, which are the same for each request with that head, whoever sends it and whenever. */
export type HeadNotes = {
  /** The client's own X-Request-Id. */
  readonly givenId: string | undefined;
  /** The address that the target names. */
  readonly address: Address | RpcError;
  /** `Reception.edition` at that time. */
  readonly edition: number;
  /** Why its body is not read (415, 413). */
  readonly bodyFault: RpcError | undefined;
};

/** An exchange with the front's own notes, which the wire carries without knowing what they are. */
export type FrontExchange = Exchange & {
  headNotes: HeadNotes | undefined;
  /** Absent before the key was looked up. */
  reading: Reading | undefined;
};
