import type { PartnerLimits } from "../storage/store.ts";
import { type Marks, partnerCapsIn } from "./marks.ts";

/**
 * The caps on calls to partners that hold while files of gateways differ: of each network the lowest that a
 * gateway which lives has in its file.
 */
export class LowestCaps {
  #all: readonly Marks[] = [];
  /** By network, read from the marks once: in an outage they are asked for with each call. */
  readonly #read = new Map<string, readonly PartnerLimits[]>();

  /** `all`: of the gateways that live. */
  follow(all: readonly Marks[]): void {
    this.#all = all;
    this.#read.clear();
  }

  /** `own`: of this gateway's file. */
  of(network: string, own: PartnerLimits): PartnerLimits {
    const found = [own, ...this.#of(network)];
    return {
      day: lowest(found.map(({ day }) => day)),
      month: lowest(found.map(({ month }) => month)),
    };
  }

  #of(network: string): readonly PartnerLimits[] {
    const known = this.#read.get(network);
    if (known !== undefined) return known;
    const read = this.#all.flatMap((marks) => partnerCapsIn(marks, network) ?? []);
    this.#read.set(network, read);
    return read;
  }
}

function lowest(caps: readonly (number | undefined)[]): number | undefined {
  const known = caps.filter((cap) => cap !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
