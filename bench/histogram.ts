/** 256 steps in each doubling: a percentile is at most 0.4 % above the true value, never below. */
const STEP_BITS = 8;
const STEPS = 2 ** STEP_BITS;
const LARGEST = 2 ** 31 - 1;

/** Counts whole microseconds in steps that widen with the value (as HdrHistogram does). */
export class Histogram {
  readonly #counts = new Float64Array((31 - STEP_BITS + 1) * STEPS);
  #count = 0;
  #max = 0;

  get count(): number {
    return this.#count;
  }

  get max(): number {
    return this.#max;
  }

  /** Counts one value; below 0 and above 2^31 - 1 it is taken as the nearest of the two. */
  record(value: number): void {
    const whole = Math.min(Math.max(Math.round(value), 0), LARGEST);
    const step = stepOf(whole);
    this.#counts[step] = (this.#counts[step] ?? 0) + 1;
    this.#count += 1;
    this.#max = Math.max(this.#max, whole);
  }

  /** The smallest step's end that `share` (0 to 1) of the values do not exceed; 0 without values. */
  percentile(share: number): number {
    const rank = Math.max(1, Math.ceil(share * this.#count));
    let seen = 0;
    for (const [step, count] of this.#counts.entries()) {
      seen += count;
      if (seen >= rank) return Math.min(endOf(step), this.#max);
    }
    return this.#max;
  }
}

function stepOf(whole: number): number {
  if (whole < STEPS) return whole;
  const shift = 31 - Math.clz32(whole) - STEP_BITS;
  return shift * STEPS + (whole >> shift);
}

function endOf(step: number): number {
  const shift = Math.max(0, Math.floor(step / STEPS) - 1);
  return (step - shift * STEPS + 1) * 2 ** shift - 1;
}

/** The middle of the values, or the mean of the two in the middle; of none, null. */
export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const low = sorted[Math.floor((sorted.length - 1) / 2)];
  const high = sorted[Math.floor(sorted.length / 2)];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
