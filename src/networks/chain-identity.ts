import type { TrackedUpstream } from "./tracked-upstream.ts";

export type WarningLog = {
  warn(fields: Record<string, unknown>, text: string): void;
};

/** How a family of networks tells its chains apart. */
export type IdentityQuestion<Id> = {
  readonly method: string;
  /** What it is called in the log. */
  readonly label: string;
  /** From the answer's JSON text; undefined where it is none. */
  readonly read: (answer: string) => Id | undefined;
};

/** Which chain a network is: configured, or what its first primary says, and then asked of all. */
export class ChainIdentity<Id> {
  readonly question: IdentityQuestion<Id>;
  readonly #log: WarningLog;
  #expected: Id | undefined;

  constructor(question: IdentityQuestion<Id>, expected: Id | undefined, log: WarningLog) {
    this.question = question;
    this.#expected = expected;
    this.#log = log;
  }

  /** Undefined while no primary has told it and none is configured. */
  get expected(): Id | undefined {
    return this.#expected;
  }

  /** What a node answers to the question, as JSON text. True: it is of this chain. */
  judge(upstream: TrackedUpstream, answer: string | undefined): boolean {
    const { label, read } = this.question;
    const found = answer === undefined ? undefined : read(answer);
    if (found === undefined) return false;
    if (upstream.role === "primary") this.#expected ??= found;
    const expected = this.#expected;
    if (expected === undefined) return false;
    const isRight = found === expected;
    if (!isRight && upstream.chain !== "wrong") {
      const fields = { upstream: upstream.name, [label]: found, expected };
      this.#log.warn(fields, "an upstream is of another chain: it is not used");
    }
    upstream.chain = isRight ? "right" : "wrong";
    return isRight;
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
