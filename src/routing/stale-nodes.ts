import type { Upstream } from "../upstreams/upstream.ts";

/** Nodes of which a call knows nothing but that their connection had ended: each gets one more attempt. */
export class StaleNodes {
  readonly #nodes: Upstream[] = [];

  /** False where it had its second attempt already. */
  add(upstream: Upstream): boolean {
    if (this.#nodes.includes(upstream)) return false;
    this.#nodes.push(upstream);
    return true;
  }

  get primaries(): readonly Upstream[] {
    return this.#nodes.filter(({ role }) => role === "primary");
  }

  /** Whether one of them has not been asked again. */
  areLeft(asked: readonly Upstream[]): boolean {
    return this.#nodes.some((one) => !asked.includes(one));
  }
}
