import type { TrackedUpstream } from "./tracked-upstream.ts";

export type WarningLog = {
  warn(fields: Record<string, unknown>, text: string): void;
};

/** Which chain a network is: configured, or what its first primary says, and then asked of all. */
export class ChainIdentity {
  readonly #log: WarningLog;
  #chainId: number | undefined;

  constructor(chainId: number | undefined, log: WarningLog) {
    this.#chainId = chainId;
    this.#log = log;
  }

  get chainId(): number | undefined {
    return this.#chainId;
  }

  /** What a node answers to eth_chainId, as JSON text. True: it is of this chain. */
  judge(upstream: TrackedUpstream, answer: string | undefined): boolean {
    const found = readChainId(answer);
    if (found === undefined) return false;
    if (upstream.role === "primary") this.#chainId ??= found;
    const expected = this.#chainId;
    if (expected === undefined) return false;
    const isRight = found === expected;
    if (!isRight && upstream.chain !== "wrong") {
      const fields = { upstream: upstream.name, chainId: found, expected };
      this.#log.warn(fields, "an upstream is of another chain: it is not used");
    }
    upstream.chain = isRight ? "right" : "wrong";
    return isRight;
  }
}

function readChainId(answer: string | undefined): number | undefined {
  const digits = /^\s*"(0x[0-9a-fA-F]{1,13})"\s*$/.exec(answer ?? "")?.[1];
  return digits === undefined ? undefined : Number(digits);
}
