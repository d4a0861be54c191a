import type { TrackedUpstream } from "./tracked-upstream.ts";

export type WarningLog = {
  warn(fields: Record<string, unknown>, text: string): void;
};

/** How a family of networks tells its chains apart. */
export type IdentityQuestion<Id> = {
  readonly method: string;
  /** Its name in the log. */
  readonly label: string;
  /** From the answer's JSON text; undefined where it is none. */
  readonly read: (answer: string) => Id | undefined;
};

/**
 * Which chain a network is: configured, or what its first primary says, and then asked of all. While
 * no primary has said it, the first partner's word serves: a gateway may start in an outage.
 */
export class ChainIdentity<Id> {
  readonly question: IdentityQuestion<Id>;
  readonly #log: WarningLog;
  readonly #refuted: () => void;
  #expected: Id | undefined;
  #told: Id | undefined;

  /** `refuted`: a primary is of another chain than a partner had said; nothing of that one holds. */
  constructor(
    question: IdentityQuestion<Id>,
    expected: Id | undefined,
    { log, refuted }: { readonly log: WarningLog; readonly refuted: () => void },
  ) {
    this.question = question;
    this.#expected = expected;
    this.#log = log;
    this.#refuted = refuted;
  }

  /** Configured, or said by a primary; undefined while neither is. */
  get expected(): Id | undefined {
    return this.#expected;
  }

  /** The same, or what a partner said meanwhile: for those whom partners answer. */
  get assumed(): Id | undefined {
    return this.#expected ?? this.#told;
  }

  /** `answer`: of a node to the question, as JSON text. True: the node is of this chain. */
  judge(upstream: TrackedUpstream, answer: string | undefined): boolean {
    const { label, read } = this.question;
    const found = answer === undefined ? undefined : read(answer);
    if (found === undefined) return false;
    if (upstream.role === "partner") this.#told ??= found;
    else this.#decide(upstream, found);
    const expected = this.assumed;
    const isRight = found === expected;
    if (!isRight && upstream.chain !== "wrong") {
      const fields = { upstream: upstream.name, [label]: found, expected };
      this.#log.warn(fields, "an upstream is of another chain: it is not used");
    }
    if (!isRight) {
      const message = `${label} ${found} in place of ${expected}`;
      upstream.lastError.note({ class: "wrong_chain", message });
    }
    upstream.chain = isRight ? "right" : "wrong";
    return isRight;
  }

  /** A primary's word is worth more than any partner's. */
  #decide(upstream: TrackedUpstream, found: Id): void {
    if (this.#expected !== undefined) return;
    const told = this.#told;
    this.#expected = found;
    if (told === undefined || told === found) return;
    const fields = { upstream: upstream.name, [this.question.label]: found, partner: told };
    const text = "a primary is of another chain than a partner had said: the primary's word holds";
    this.#log.warn(fields, text);
    this.#refuted();
  }
}

/** A network of the EVM family, by its eth_chainId. */
export const CHAIN_ID: IdentityQuestion<number> = {
  method: "eth_chainId",
  label: "chainId",
  read: (answer) => {
    const digits = /^\s*"(0x[0-9a-fA-F]{1,13})"\s*$/.exec(answer)?.[1];
    return digits === undefined ? undefined : Number(digits);
  },
};

/** A network of the slot family, by the hash of its first block. */
export const GENESIS_HASH: IdentityQuestion<string> = {
  method: "getGenesisHash",
  label: "genesisHash",
  read: (answer) => /^\s*"([1-9A-HJ-NP-Za-km-z]{32,44})"\s*$/.exec(answer)?.[1],
};
