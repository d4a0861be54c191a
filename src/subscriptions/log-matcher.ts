import type { JsonObject, JsonValue } from "../jsonrpc/value.ts";
import { type BloomBits, type BloomText, bloomBits, mayHold } from "./bloom.ts";

/** The members of a log that a filter looks at, in lower case. */
export type LogPlaces = { readonly address: string; readonly topics: readonly string[] };

/** One place of a filter: any of these; undefined: whatever stands there. */
type Alternatives = {
  readonly values: ReadonlySet<string>;
  readonly bits: readonly BloomBits[];
};

/** The addresses and topics of a log filter, made ready to be held against many blocks and logs. */
export class LogMatcher {
  /** The only one that logs are looked for of; undefined where there are several, or any will do. */
  readonly onlyAddress: string | undefined;
  readonly #addresses: Alternatives | undefined;
  readonly #topics: readonly (Alternatives | undefined)[];
  /** Of each place that is not any. */
  readonly #bits: readonly (readonly BloomBits[])[];
  readonly #from: number = 0;
  readonly #to: number = Number.POSITIVE_INFINITY;

  /**
   * `filter`: as the check of `eth_getLogs` gives it. Its blocks bound what is told of only with
   * `hasRange`, and only where they are numbers.
   */
  constructor(filter: JsonObject, hasRange = false) {
    if (hasRange) {
      this.#from = numberOf(filter.get("fromBlock")) ?? this.#from;
      this.#to = numberOf(filter.get("toBlock")) ?? this.#to;
    }
    this.#addresses = alternativesOf(filter.get("address"));
    const [first, ...others] = this.#addresses?.values ?? [];
    this.onlyAddress = others.length === 0 ? first : undefined;
    const topics = filter.get("topics");
    this.#topics = Array.isArray(topics) ? topics.map(alternativesOf) : [];
    this.#bits = [this.#addresses, ...this.#topics].flatMap((place) => (place ? [place.bits] : []));
  }

  /** Not all logs of its addresses match. */
  get hasTopics(): boolean {
    return this.#topics.length > 0;
  }

  /** Undefined: any. */
  get addresses(): ReadonlySet<string> | undefined {
    return this.#addresses?.values;
  }

  /** Whether logs of this block are told of. */
  covers(number: number): boolean {
    return number >= this.#from && number <= this.#to;
  }

  /** Whether a block with this bloom may have a log that matches; false: it has none. */
  mayMatch(bloom: BloomText): boolean {
    for (const bits of this.#bits) if (!mayHoldOne(bloom, bits)) return false;
    return true;
  }

  /** As go-ethereum's `filterLogs`: a place without a topic in the log matches nothing, not even any. */
  matches({ address, topics }: LogPlaces): boolean {
    if (this.#addresses?.values.has(address) === false) return false;
    if (this.#topics.length > topics.length) return false;
    for (let place = 0; place < this.#topics.length; place += 1) {
      if (this.#topics[place]?.values.has(topics[place] as string) === false) return false;
    }
    return true;
  }
}

function mayHoldOne(bloom: BloomText, all: readonly BloomBits[]): boolean {
  for (const bits of all) if (mayHold(bloom, bits)) return true;
  return false;
}

function numberOf(block: JsonValue | undefined): number | undefined {
  if (block === "earliest") return 0;
  return typeof block === "string" && block.startsWith("0x") ? Number(block) : undefined;
}

function alternativesOf(value: JsonValue | undefined): Alternatives | undefined {
  const values = (Array.isArray(value) ? value : [value]).filter(
    (each) => typeof each === "string",
  );
  if (values.length === 0) return undefined;
  return { values: new Set(values), bits: values.map(bloomBits) };
}
