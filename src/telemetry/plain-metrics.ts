import type { Metric, MetricValue } from "prom-client";

/** A number that calls add to; the scrape reads it. */
export class PlainCounter {
  value = 0;

  inc(by = 1): void {
    this.value += by;
  }

  dec(by = 1): void {
    this.value -= by;
  }
}

/** Observations in buckets; those up to a bound are counted in the first bucket that holds them. */
export class PlainHistogram {
  readonly #bounds: readonly number[];
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    let bucket = 0;
    while (value > (this.#bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += value;
  }
}

type Description = {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
};

type Series<Part> = { readonly labels: Record<string, string>; readonly part: Part };
type Value = MetricValue<string> & { metricName?: string };

/**
 * A metric whose series are plain objects, each bound once to its labels, so that counting costs an
 * addition. prom-client's registry reads it like one of its own.
 */
abstract class Family<Part> {
  readonly name: string;
  readonly help: string;
  readonly aggregator = "sum";
  abstract readonly type: string;
  readonly #labels: readonly string[];
  readonly #series = new Map<string, Series<Part>>();

  constructor({ name, help, labels }: Description) {
    this.name = name;
    this.help = help;
    this.#labels = labels;
  }

  /** The series of these label values, in the order of the labels; hold on to it. */
  of(...values: readonly string[]): Part {
    const key = values.join("\n");
    const known = this.#series.get(key);
    if (known !== undefined) return known.part;
    const named = this.#labels.map((label, index) => [label, values[index] ?? ""]);
    const part = this.make();
    this.#series.set(key, { labels: Object.fromEntries(named), part });
    return part;
  }

  /** All series whose first label has this value. Who holds on to one counts for nobody. */
  forget(first: string): void {
    for (const key of this.#series.keys()) {
      if (key === first || key.startsWith(`${first}\n`)) this.#series.delete(key);
    }
  }

  /** prom-client calls this at a scrape. */
  get(): object {
    const values = [...this.#series.values()].flatMap((series) => this.read(series));
    const { name, help, type, aggregator } = this;
    return { name, help, type, aggregator, values };
  }

  /** As the registry takes it: the shape is its own, the class is not. */
  asMetric(): Metric {
    return this as unknown as Metric;
  }

  protected parts(): Part[] {
    return Array.from(this.#series.values(), ({ part }) => part);
  }

  protected abstract make(): Part;
  protected abstract read(series: Series<Part>): Value[];
}

export class CounterFamily extends Family<PlainCounter> {
  readonly type: string;

  constructor(description: Description, type: "counter" | "gauge" = "counter") {
    super(description);
    this.type = type;
  }

  /** Of all its series. */
  get total(): number {
    return this.parts().reduce((sum, { value }) => sum + value, 0);
  }

  protected make(): PlainCounter {
    return new PlainCounter();
  }

  protected read({ labels, part }: Series<PlainCounter>): Value[] {
    return [{ labels, value: part.value }];
  }
}

/** Values that are looked up at the scrape. */
export class GaugeFamily extends Family<{ read: () => number }> {
  readonly type: string;

  constructor(description: Description, type: "counter" | "gauge" = "gauge") {
    super(description);
    this.type = type;
  }

  protected make(): { read: () => number } {
    return { read: () => 0 };
  }

  protected read({ labels, part }: Series<{ read: () => number }>): Value[] {
    return [{ labels, value: part.read() }];
  }
}

export class HistogramFamily extends Family<PlainHistogram> {
  readonly type = "histogram";
  readonly #bounds: readonly number[];

  constructor(description: Description, bounds: readonly number[]) {
    super(description);
    this.#bounds = bounds;
  }

  protected make(): PlainHistogram {
    return new PlainHistogram(this.#bounds);
  }

  protected read({ labels, part }: Series<PlainHistogram>): Value[] {
    let total = 0;
    const metricName = `${this.name}_bucket`;
    const buckets = part.counts.map((count, index) => {
      total += count;
      const le = this.#bounds[index] ?? "+Inf";
      return { labels: { le, ...labels }, value: total, metricName };
    });
    return [
      ...buckets,
      { labels, value: part.sum, metricName: `${this.name}_sum` },
      { labels, value: total, metricName: `${this.name}_count` },
    ];
  }
}
