import { creditsForm, isCredits } from "../../access/account-checks.ts";
import type { Limits } from "../../storage/store.ts";
import { CommandError, count } from "../output.ts";

/** `--daily N --per-second N`, as they were written. */
export type LimitRequest = {
  readonly daily?: string | undefined;
  readonly perSecond?: string | undefined;
};

/**
 * The limits after `limit …`: what is not named stays, 0 takes the limit away.
 * @throws CommandError where neither is named, or one is no number of credits
 */
export function changedLimits(present: Limits, { daily, perSecond }: LimitRequest): Limits {
  if (daily === undefined && perSecond === undefined) {
    throw new CommandError("say which limit: --daily N, --per-second N, or both; 0 for the plan's");
  }
  const changed = (text: string | undefined, before: number | null): number | null =>
    text === undefined ? before : readCredits(text, 0) || null;
  return {
    creditsPerDay: changed(daily, present.creditsPerDay),
    creditsPerSecond: changed(perSecond, present.creditsPerSecond),
  };
}

/** @throws CommandError */
export function readCredits(text: string, least: 0 | 1): number {
  const credits = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (isCredits(credits, least)) return credits;
  throw new CommandError(`${JSON.stringify(text)} is no number of credits; ${creditsForm(least)}`);
}

/** `credits a day: 1,000; credits a second: the plan's`, where `others` is `the plan's`. */
export function describeLimits(limits: Limits, others: string): string {
  const one = (credits: number | null, unit: string): string =>
    credits === null ? `credits a ${unit}: ${others}` : `credits a ${unit}: ${count(credits)}`;
  return `${one(limits.creditsPerDay, "day")}; ${one(limits.creditsPerSecond, "second")}`;
}
