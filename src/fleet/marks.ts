import { createHmac } from "node:crypto";
import type { Config } from "../config/schema.ts";
import type { FleetProcess } from "../storage/fleet-store.ts";
import { type PartnerLimits, StorageError } from "../storage/store.ts";

/** Where these are not alike, keys or sessions of one gateway mean nothing to another. */
const HAVE_TO_AGREE = ["keys.pepper", "console.secret"];
/** A mark has to tell settings apart, and nothing of a secret. */
const MARK_CHARS = 16;

export type Marks = FleetProcess["marks"];

const capsName = (network: string): string => `networks.${network}.partnerCaps`;

/** Marks of the settings that should be alike in the files of all gateways on one storage. */
export function marksOf({ keys, console, plans, networks }: Config): Marks {
  const caps = networks
    .filter(({ upstreams }) => upstreams.some(({ role }) => role === "partner"))
    // In clear, since the lowest hold for all.
    .map(({ name, partnerCaps: { day, month } = {} }) => [
      capsName(name),
      JSON.stringify({ day, month }),
    ]);
  return {
    "keys.pepper": markOf(keys.pepper ?? null),
    // One without a dashboard has no sessions to agree about.
    ...(console?.secret !== undefined && { "console.secret": markOf(console.secret) }),
    plans: markOf(Object.entries(plans).sort()),
    ...Object.fromEntries(caps),
  };
}

/** Undefined where that gateway asks no partners of the network. */
export function partnerCapsIn(marks: Marks, network: string): PartnerLimits | undefined {
  const mark = marks[capsName(network)];
  // Another version may tell of it in its own way.
  return mark?.startsWith("{") ? (JSON.parse(mark) as PartnerLimits) : undefined;
}

/** The names of the settings that are not alike in all that have them. */
export function differences(all: readonly Marks[]): readonly string[] {
  const names = new Set(all.flatMap((marks) => Object.keys(marks)));
  return [...names].filter((name) => {
    const values = all.flatMap((marks) => marks[name] ?? []);
    return new Set(values).size > 1;
  });
}

/**
 * Refuses to start beside a gateway that would not understand this one.
 * @throws StorageError
 */
export function checkAgreement(own: Marks, others: readonly FleetProcess[]): void {
  for (const { name, marks } of others) {
    const wrong = differences([own, marks]).find((one) => HAVE_TO_AGREE.includes(one));
    if (wrong === undefined) continue;
    throw new StorageError(
      `${wrong}: the gateway ${name}, which serves from the same storage, has another one; give both the same, ` +
        "or end that one and wait ten seconds",
    );
  }
}

function markOf(setting: unknown): string {
  const text = JSON.stringify(setting);
  return createHmac("sha256", "tollgate fleet").update(text).digest("hex").slice(0, MARK_CHARS);
}
