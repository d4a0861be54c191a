import type { Identity } from "../access/identity.ts";
import type { CreditRefusal, CreditWaiter, Ledger, Reservation } from "../credits/ledger.ts";
import type { UsageRecorder } from "../usage/usage-recorder.ts";
import type { Subscriber } from "./subscription.ts";

/** What is charged for one notification, or for all that a block gives one subscription. */
export type PricedEvent = {
  /** Its name in usage. */
  readonly method: string;
  readonly credits: number;
};

export type EventMeterParts = {
  readonly ledger: Pick<Ledger, "admitEvent" | "draw" | "settle">;
  readonly usage: Pick<UsageRecorder, "record">;
};

export type Sent = Pick<Subscriber, "identity" | "network"> & { readonly bytes: number };

/** Of the credits per second: as a block costs that a client asks for itself. */
const ASK_CREDITS = 80;

/** Charges events to those who subscribed, through the ledger and into usage, as calls are. */
export class EventMeter {
  readonly #parts: EventMeterParts;

  constructor(parts: EventMeterParts) {
    this.#parts = parts;
  }

  /** As the ledger's `admit`; what is reserved has to be `sent`. */
  admit(
    identity: Identity,
    { credits }: PricedEvent,
    waiter: CreditWaiter,
  ): Reservation | CreditRefusal | "waiting" {
    return this.#parts.ledger.admitEvent(identity, credits, waiter);
  }

  /** It went to the client: so many bytes. */
  sent(
    reservation: Reservation,
    { method, credits }: PricedEvent,
    { identity, network, bytes }: Sent,
  ): void {
    const { ledger, usage } = this.#parts;
    ledger.settle(reservation, true);
    const { accountId, keyId } = identity;
    network.metrics.credits.inc(credits);
    network.metrics.calls(method).record("ok", 0);
    usage.record({
      ...{ accountId, keyId, network: network.name, method, outcome: "ok" },
      ...{ credits, bytes },
    });
  }

  /** Nobody is there any more to whom it could go. */
  drop(reservation: Reservation): void {
    this.#parts.ledger.settle(reservation, false);
  }

  /** Whether a node may be asked for what nobody is charged for. */
  mayAsk(identity: Identity): boolean {
    return this.#parts.ledger.draw(identity, ASK_CREDITS) === undefined;
  }
}

/** Ends the connection of a client that gets no more credits today; false where it may get some. */
export function closeIfSpent(
  subscriber: Pick<Subscriber, "close">,
  { kind }: CreditRefusal,
): boolean {
  if (kind === "balance") subscriber.close({ kind: "credits" });
  else if (kind === "key-balance") subscriber.close({ kind: "key-credits" });
  else return false;
  return true;
}
