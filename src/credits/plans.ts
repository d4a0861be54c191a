import type { PlanConfig } from "../config/plans.ts";
import type { Limits } from "../storage/store.ts";

/** The facts of a caller that the ledger needs. */
export type CreditIdentity = {
  readonly keyId: string;
  readonly accountId: string;
  /** A plan's name. */
  readonly plan: string;
  /** In place of the plan's figures. */
  readonly accountLimits: Limits;
  /** Beside the account's. */
  readonly keyLimits: Limits;
};

/** Credits of a UTC day and of a second. Null, which only keys have: no limit of its own. */
export type Figures = {
  readonly perDay: number | null;
  readonly perSecond: number | null;
  /** The account's, also where the key has none. */
  readonly accountPerSecond: number;
};

/** The figures of an account. */
export type AccountFigures = Figures & { readonly perDay: number; readonly perSecond: number };

const figures = (perDay: number, perSecond: number): AccountFigures =>
  Object.freeze({ perDay, perSecond, accountPerSecond: perSecond });

/** The figures of a plan that is not configured. */
const NOTHING = figures(0, 0);

/** The figures of the configured plans, by name. */
export class Plans {
  #figures: ReadonlyMap<string, AccountFigures> = new Map();

  constructor(plans: Readonly<Record<string, PlanConfig>>) {
    this.replace(plans);
  }

  /** From the next call on, in place of those before. */
  replace(plans: Readonly<Record<string, PlanConfig>>): void {
    this.#figures = new Map(
      Object.entries(plans).map(([name, { dailyCredits, creditsPerSecond }]) => [
        name,
        figures(dailyCredits, creditsPerSecond),
      ]),
    );
  }

  /** The account's own limits, else its plan's figures. */
  ofAccount({ plan, accountLimits }: CreditIdentity): AccountFigures {
    const ofPlan = this.#figures.get(plan) ?? NOTHING;
    const { creditsPerDay, creditsPerSecond } = accountLimits;
    if (creditsPerDay === null && creditsPerSecond === null) return ofPlan;
    return figures(creditsPerDay ?? ofPlan.perDay, creditsPerSecond ?? ofPlan.perSecond);
  }

  /** The key's own limits; undefined where it has none. */
  ofKey({ keyLimits }: CreditIdentity, account: AccountFigures): Figures | undefined {
    const { creditsPerDay, creditsPerSecond } = keyLimits;
    if (creditsPerDay === null && creditsPerSecond === null) return undefined;
    return {
      perDay: creditsPerDay,
      perSecond: creditsPerSecond,
      accountPerSecond: account.perSecond,
    };
  }

  /** Why an account has no credits at all, for people; undefined where it has some. */
  fault(identity: CreditIdentity): string | undefined {
    if (!this.#figures.has(identity.plan)) {
      return "the account's plan is not configured on this gateway; its operator can set another";
    }
    if (this.ofAccount(identity).perSecond > 0) return undefined;
    return "the account's plan grants no credits until the gateway's operator sets limits for it";
  }
}
