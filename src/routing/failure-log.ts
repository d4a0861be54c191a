import { FAILURE_CLASSES } from "../failures/failure-classes.ts";
import type { Failure } from "../failures/failures.ts";

type Told = { readonly failure: Failure; readonly upstream: string };

/** The failures of one call's attempts, so that in the end the one is told that says most. */
export class FailureLog {
  #best: Told | undefined;
  #unknownOnes = 0;
  #methodUnknownOnes = 0;
  #attempts = 0;
  #text = "";

  /** True where the failure is the call's answer at once: two nodes gave an error of no class. */
  add(upstream: string, failure: Failure): boolean {
    this.note(upstream, `${failure.class}: ${failure.message}`);
    if (failure.class === "unknown") this.#unknownOnes += 1;
    if (this.#unknownOnes > 1) {
      this.#best = { failure, upstream };
      return true;
    }
    if (failure.class === "method_unknown") this.#methodUnknownOnes += 1;
    const { rank } = FAILURE_CLASSES[failure.class];
    if (rank > FAILURE_CLASSES[this.#best?.failure.class ?? "internal"].rank) {
      this.#best = { failure, upstream };
    } else if (failure.class === "method_unknown") this.#best ??= { failure, upstream };
    return false;
  }

  note(upstream: string, text: string): void {
    this.#attempts += 1;
    const told = `${upstream}: ${text}`;
    // An array takes five times as much of a call that waits.
    this.#text = this.#text === "" ? told : `${this.#text}; ${told}`;
  }

  /** The failure that says most; undefined where none is an answer. */
  get best(): Told | undefined {
    const everywhere = this.#methodUnknownOnes === this.#attempts;
    if (this.#best?.failure.class === "method_unknown" && !everywhere) return undefined;
    return this.#best;
  }

  get attempts(): number {
    return this.#attempts;
  }

  /** The ends of all attempts, for the log. */
  get text(): string {
    return this.#text;
  }
}
