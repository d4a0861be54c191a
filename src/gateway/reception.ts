import type { Authenticator, Identity, Refusal } from "../access/authenticator.ts";
import type { RpcError } from "../jsonrpc/errors.ts";
import type { AddressBook, Transport } from "./address.ts";
import type { Session } from "./call.ts";

/** What arrives, before its body is read. */
export type RequestHead = {
  readonly transport: Transport;
  readonly target: string;
  readonly host: string;
  readonly requestId: string;
};

type Parts = { readonly addresses: AddressBook; readonly authenticator: Authenticator };

/** Stage 2: who asks for which network. Synchronous where the key is known already. */
export class Reception {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** 404 or 400 where the address is wrong; the key is not looked at. */
  locate(head: RequestHead): ReturnType<AddressBook["find"]> {
    return this.#parts.addresses.find(head.transport, head.target, head.host);
  }

  identify(
    address: { readonly network: Session["network"]; readonly key: string },
    requestId: string,
  ): Session | RpcError | Promise<Session | RpcError> {
    const settle = (known: Awaited<ReturnType<Authenticator["authenticate"]>>) =>
      toSession(known, address.network, requestId);
    const outcome = this.#parts.authenticator.authenticate(address.key);
    return outcome instanceof Promise ? outcome.then(settle) : settle(outcome);
  }
}

function toSession(
  outcome: Identity | Refusal,
  network: Session["network"],
  requestId: string,
): Session | RpcError {
  if (outcome === "refused") return { name: "unauthorized", details: "invalid API key" };
  if (outcome === "unavailable") return { name: "keys_unavailable" };
  if (outcome.suspended) return { name: "forbidden", details: "account suspended" };
  return { network, identity: outcome, requestId };
}
