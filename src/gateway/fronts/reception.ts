import { checkRequest } from "../../access/allow-lists.ts";
import type { Authenticator, Identity, Refusal } from "../../access/authenticator.ts";
import type { ClientAddress } from "../../access/client-address.ts";
import type { UnknownKeys } from "../../access/unknown-keys.ts";
import type { RpcError } from "../../jsonrpc/errors.ts";
import { addressOwner } from "../../lib/address-owner.ts";
import type { Network } from "../../networks/network.ts";
import type { AllowKind } from "../../storage/store.ts";
import type { Head } from "../../wire/server/request-head.ts";
import type { Session } from "../call.ts";
import { notAllowed } from "../refusals.ts";
import type { Address, AddressBook } from "./address.ts";

type Parts = {
  readonly addresses: AddressBook;
  readonly authenticator: Authenticator;
  readonly clientAddress: ClientAddress;
  readonly unknownKeys: UnknownKeys;
};

/** The session of a request; or why it is refused, with the identity if that is known. */
export type Reading = Session | Refused;
export type Refused = RpcError & { readonly identity?: Identity };

/** Stage 2: who asks for which network. Synchronous where the key is known already. */
export class Reception {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Another number whenever `locate` may say something else. */
  get edition(): number {
    return this.#parts.addresses.edition;
  }

  /** 404 or 400 where the address is wrong; the key is not looked at. */
  locate({ transport, target, host }: Head): Address | RpcError {
    return this.#parts.addresses.find(transport, target, host);
  }

  /** 401, 403 or 503 where the key, or what it allows, forbids the request as a whole. */
  identify(address: Address, head: Head): Reading | Promise<Reading> {
    const known = this.#parts.authenticator.known(address.key);
    return known === undefined ? this.#meet(address, head) : this.#read(known, address, head);
  }

  /** The network that has this one's name now; undefined where it is served no more. */
  current(network: Network): Network | undefined {
    return this.#parts.addresses.current(network);
  }

  /** The client's address behind a trusted proxy; undefined if the request came through none. */
  ownerBehindProxy(head: Head): string | undefined {
    return this.#parts.clientAddress.isProxy(head.peer) ? this.#ownerOf(head) : undefined;
  }

  #ownerOf({ peer, forwardedFor }: Head): string {
    return addressOwner(this.#parts.clientAddress.of(peer, forwardedFor) ?? peer);
  }

  /** Nobody had this key before: 429 where its address comes with many of that kind. */
  #meet(address: Address, head: Head): Reading | Promise<Reading> {
    const { authenticator, unknownKeys } = this.#parts;
    const owner = this.#ownerOf(head);
    const retryAfterSeconds = unknownKeys.take(owner);
    if (retryAfterSeconds > 0) {
      const details = "too many requests with unknown keys came from this address";
      return { name: "too_many_unknown_keys", details, retryAfterSeconds };
    }
    const read = (outcome: Identity | Refusal) => {
      if (typeof outcome === "object") unknownKeys.giveBack(owner);
      return this.#read(outcome, address, head);
    };
    const outcome = authenticator.authenticate(address.key);
    return outcome instanceof Promise ? outcome.then(read) : read(outcome);
  }

  #read(outcome: Identity | Refusal, { network }: Address, head: Head): Reading {
    if (outcome === "refused") return { name: "unauthorized", details: "invalid API key" };
    if (outcome === "unavailable") return { name: "keys_unavailable" };
    const identity = outcome;
    if (identity.suspended) return { name: "forbidden", details: "account suspended", identity };
    const kind = this.refusedKind(identity, network, head);
    if (kind !== undefined) return { ...notAllowed(kind), identity };
    const { requestId, minBlock, transport } = head;
    const isStream = transport === "websocket";
    // Messages of a WebSocket are of many traces.
    const traceparent = isStream ? undefined : head.traceparent;
    return { network, identity, requestId, minBlock, traceparent, isStream };
  }

  /** The kind of allow-list that forbids the request as a whole. */
  refusedKind({ allow }: Identity, network: Network, head: Head): AllowKind | undefined {
    if (allow === undefined) return undefined;
    const { origin, agent } = head;
    const ip = this.#parts.clientAddress.of(head.peer, head.forwardedFor);
    return checkRequest(allow, { network: network.name, origin, agent, ip });
  }
}
