import { createId } from "../../access/ids.ts";
import type { UnixMs } from "../../lib/clock.ts";
import { dayOf } from "../../lib/day.ts";
import type { AlertDelivery, AlertSettings } from "../../storage/console-stores.ts";
import { accountBalance } from "../../usage/account-usage.ts";
import type { ApiParts } from "../api/parts.ts";
import { type AlertMessage, alertMessage, reached } from "./alert-message.ts";
import { AlertSender, type SenderParts } from "./alert-sender.ts";

const LOOK_EVERY_MS = 5000;
const DELIVER_EVERY_MS = 1000;
/** Between attempts; after the last one the delivery has failed. */
const RETRY_AFTER_MS = [5000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000];
/** At a time, so that a receiver that hangs does not keep many others waiting. */
const MOST_AT_ONCE = 20;
/** Longer than any attempt takes: another console takes over what this one died with. */
const HOLD_MS = 60_000;

export type AlertParts = SenderParts & Pick<ApiParts, "storage" | "config" | "random" | "log">;

/** Watches how much of their day accounts have used, and tells those who want to know. */
export class AlertJob {
  readonly #parts: AlertParts;
  readonly #sender: AlertSender;
  readonly #ends: (() => void)[] = [];
  readonly #running = new Set<Promise<void>>();
  #isLooking = false;
  #isDelivering = false;

  constructor(parts: AlertParts) {
    this.#parts = parts;
    this.#sender = new AlertSender(parts);
  }

  start(): void {
    const { clock } = this.#parts;
    this.#ends.push(
      clock.every(LOOK_EVERY_MS, () => this.#run(this.look())),
      clock.every(DELIVER_EVERY_MS, () => this.#run(this.deliver())),
    );
  }

  /** Waits for the attempts that are under way. What is due then is sent after the next start. */
  async stop(): Promise<void> {
    for (const end of this.#ends) end();
    await Promise.all(this.#running);
  }

  /** One look at every account that has thresholds. Never rejects; one at a time. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const all = await this.#parts.storage.alerts.list();
      const wanted = all.filter(({ thresholds, emails, webhook }) => {
        return thresholds.length > 0 && (emails.length > 0 || webhook !== null);
      });
      await Promise.all(wanted.map((settings) => this.#lookAt(settings)));
    } catch (error) {
      this.#parts.log.warn({ cause: String(error) }, "alerts cannot be looked at");
    } finally {
      this.#isLooking = false;
    }
  }

  /** Sends what is due, until nothing is. Never rejects; one at a time. */
  async deliver(): Promise<void> {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    const { storage, clock, log } = this.#parts;
    try {
      for (;;) {
        const asked = { now: clock.now(), limit: MOST_AT_ONCE, holdMs: HOLD_MS };
        const due = await storage.alerts.due(asked);
        if (due.length === 0) return;
        await Promise.all(due.map((delivery) => this.#attempt(delivery)));
      }
    } catch (error) {
      log.warn({ cause: String(error) }, "alerts that are due cannot be read or settled");
    } finally {
      this.#isDelivering = false;
    }
  }

  #run(work: Promise<void>): void {
    const done = work.finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  async #lookAt(settings: AlertSettings): Promise<void> {
    const { storage, config, clock } = this.#parts;
    const { accountId, thresholds } = settings;
    const account = await storage.accounts.findById(accountId);
    if (account === undefined) return;
    const now = clock.now();
    const balance = await accountBalance({ storage, plans: config.plans }, account, now);
    for (const threshold of reached(thresholds, balance)) {
      const message = alertMessage("usage.threshold", { account, balance, threshold, now });
      const alert = { accountId, day: dayOf(now), threshold };
      await storage.alerts.claim(alert, this.#deliveries(settings, { ...alert, message, now }));
    }
  }

  #deliveries(
    { emails, webhook }: AlertSettings,
    alert: Pick<AlertDelivery, "accountId" | "day" | "threshold"> & {
      readonly message: AlertMessage;
      readonly now: UnixMs;
    },
  ): AlertDelivery[] {
    const { message, now, ...of } = alert;
    const payload = JSON.stringify(message);
    const one = (to: AlertDelivery["to"], target: string): AlertDelivery => ({
      ...{ ...of, to, target, payload, at: now, nextAt: now },
      id: createId("del", this.#parts.random),
      state: "pending",
      attempts: 0,
      lastError: null,
    });
    const mails = emails.map((email) => one("email", email));
    return webhook === null ? mails : [...mails, one("webhook", webhook.url)];
  }

  async #attempt(delivery: AlertDelivery): Promise<void> {
    const { storage, clock } = this.#parts;
    const { id, accountId } = delivery;
    const attempts = delivery.attempts + 1;
    const done = { attempts, nextAt: null };
    try {
      await this.#sender.deliver(delivery, await storage.alerts.read(accountId));
    } catch (error) {
      const lastError = error instanceof Error ? error.message : String(error);
      const waitMs = RETRY_AFTER_MS[attempts - 1];
      const next = waitMs === undefined ? undefined : clock.now() + waitMs;
      const result =
        next === undefined
          ? { ...done, state: "failed" as const, lastError }
          : { attempts, nextAt: next, state: "pending" as const, lastError };
      await storage.alerts.settle(id, result);
      return;
    }
    await storage.alerts.settle(id, { ...done, state: "sent", lastError: null });
  }
}
