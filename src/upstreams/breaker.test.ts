import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Breaker, type BreakerState } from "./breaker.ts";

const setUp = () => {
  const time = { now: 0 };
  const changes: BreakerState[] = [];
  const sooner: number[] = [];
  const breaker = new Breaker(
    { monotonic: () => time.now },
    { onChange: (state) => changes.push(state), onSooner: () => sooner.push(time.now) },
  );
  const fail = (times: number): void => {
    for (let n = 0; n < times; n += 1) breaker.failed();
  };
  /** The probe that is due next succeeds at once. */
  const probe = (): void => {
    time.now = Math.max(time.now, breaker.probeDueAtMs);
    breaker.probeStarted(time.now);
    breaker.probeSucceeded();
  };
  return { time, breaker, changes, sooner, fail, probe };
};

describe("opening", () => {
  test("five faults in a row open it, four and a success do not", () => {
    const { breaker, changes, fail } = setUp();
    fail(4);
    breaker.succeeded();
    fail(4);
    expect(breaker.tryEnter()).toBe(true);
    fail(1);
    expect(breaker.state).toBe("open");
    expect(breaker.tryEnter()).toBe(false);
    expect(changes).toEqual(["open"]);
  });

  test("half of twenty calls of the last ten seconds open it, a fault that is older does not count", () => {
    const { time, breaker } = setUp();
    for (let n = 0; n < 9; n += 1) {
      breaker.failed();
      breaker.succeeded();
    }
    time.now += 11_000;
    for (let n = 0; n < 9; n += 1) {
      breaker.failed();
      breaker.succeeded();
    }
    breaker.succeeded();
    expect(breaker.state).toBe("closed");
    breaker.failed();
    expect(breaker.state).toBe("open");
  });

  test("three hedges in a row that beat it open it, a success between forgives them", () => {
    const { breaker } = setUp();
    breaker.stalled();
    breaker.stalled();
    breaker.succeeded();
    breaker.stalled();
    breaker.stalled();
    expect(breaker.state).toBe("closed");
    breaker.stalled();
    expect(breaker.state).toBe("open");
  });
});

describe("coming back", () => {
  test("probes are due after 1, 2, 4 and 8 s, then every 8 s, while none succeeds", () => {
    const { time, breaker, fail } = setUp();
    fail(5);
    const due: number[] = [];
    for (; time.now < 40_000; time.now += 1) {
      if (time.now < breaker.probeDueAtMs) continue;
      due.push(time.now);
      breaker.probeStarted(time.now);
    }
    expect(due).toEqual([1000, 3000, 7000, 15_000, 23_000, 31_000, 39_000]);
  });

  test("after a probe one call at a time tries it, and its success closes it", () => {
    const { breaker, changes, fail, probe } = setUp();
    fail(5);
    probe();
    expect(breaker.isFree).toBe(true);
    expect([breaker.tryEnter(), breaker.tryEnter()]).toEqual([true, false]);
    expect(breaker.isFree).toBe(false);
    breaker.succeeded();
    expect([breaker.tryEnter(), breaker.tryEnter()]).toEqual([true, true]);
    expect(changes).toEqual(["open", "half-open", "closed"]);
    fail(4);
    expect(breaker.state).toBe("closed");
  });

  test.each(["failed", "stalled"] as const)("a trial that %s opens it for twice as long", (how) => {
    const { time, breaker, fail, probe } = setUp();
    fail(5);
    const lengths: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      lengths.push(breaker.probeDueAtMs - time.now);
      probe();
      breaker[how]();
      expect(breaker.state).toBe("open");
    }
    expect(lengths).toEqual([1000, 2000, 4000, 8000, 8000]);
  });

  test("the doubling is forgotten after 30 s closed", () => {
    const { time, breaker, fail, probe } = setUp();
    fail(5);
    probe();
    breaker.succeeded();
    time.now += 29_999;
    fail(5);
    expect(breaker.probeDueAtMs - time.now).toBe(2000);
    probe();
    breaker.succeeded();
    time.now += 30_000;
    fail(5);
    expect(breaker.probeDueAtMs - time.now).toBe(1000);
  });

  test("once closed it counts anew: what opened it does not weigh in", () => {
    const { time, breaker, probe } = setUp();
    for (let n = 0; n < 20; n += 1) n % 2 ? breaker.failed() : breaker.succeeded();
    expect(breaker.state).toBe("open");
    time.now += 2000;
    probe();
    breaker.succeeded();
    for (let n = 0; n < 19; n += 1) n % 2 ? breaker.succeeded() : breaker.failed();
    expect(breaker.state).toBe("closed");
    breaker.failed();
    expect(breaker.state).toBe("open");
  });

  test("a trial that nobody reports makes place after a second", () => {
    const { time, breaker, fail, probe } = setUp();
    fail(5);
    probe();
    breaker.tryEnter();
    time.now += 999;
    expect(breaker.tryEnter()).toBe(false);
    time.now += 1;
    expect(breaker.tryEnter()).toBe(true);
  });

  test("calls that were in the air when it opened do not count after the probe", () => {
    const { time, breaker, fail, probe } = setUp();
    const before = time.now;
    fail(5);
    probe();
    breaker.failed(before);
    breaker.stalled(before);
    breaker.succeeded(before);
    expect(breaker.state).toBe("half-open");
    breaker.succeeded();
    for (let n = 0; n < 9; n += 1) breaker.failed(before);
    expect(breaker.state).toBe("closed");
  });

  test("a fault that was long in coming tells of the past: the time runs from the call's beginning", () => {
    const { time, breaker, fail } = setUp();
    time.now = 600;
    fail(4);
    breaker.failed(0);
    expect(breaker.probeDueAtMs).toBe(1000);
  });
});

describe("a node that is open and answers the calls of those who have nobody else", () => {
  /** Open, and its next probe is 8 s away. */
  const down = () => {
    const all = setUp();
    all.fail(5);
    for (let n = 0; n < 4; n += 1) {
      all.time.now = all.breaker.probeDueAtMs;
      all.breaker.probeStarted(all.time.now);
    }
    expect(all.breaker.probeDueAtMs - all.time.now).toBe(8000);
    return all;
  };

  test("is probed half a second after its first answer", () => {
    const { time, breaker, sooner } = down();
    breaker.succeeded();
    const answered = time.now;
    time.now += 300;
    breaker.succeeded();
    expect(breaker.probeDueAtMs).toBe(answered + 500);
    expect(sooner).toEqual([answered]);
    expect(breaker.state).toBe("open");
  });

  test("is not probed sooner where a call fails in between, and then from its next answer on", () => {
    const { time, breaker } = down();
    const due = breaker.probeDueAtMs;
    breaker.succeeded();
    time.now += 100;
    breaker.failed();
    expect(breaker.probeDueAtMs).toBe(due);
    time.now += 100;
    breaker.succeeded();
    breaker.stalled(time.now - 1);
    expect(breaker.probeDueAtMs).toBe(time.now + 500);
    breaker.stalled();
    expect(breaker.probeDueAtMs).toBe(due);
  });

  test("is probed twice a second at most, however often it answers", () => {
    const { time, breaker } = down();
    const [from, due] = [time.now, breaker.probeDueAtMs];
    let probes = 0;
    for (; time.now < from + 4000; time.now += 10) {
      breaker.succeeded();
      if (time.now < breaker.probeDueAtMs) continue;
      breaker.probeStarted(time.now);
      probes += 1;
    }
    expect(probes).toBe(7);
    expect(breaker.probeDueAtMs).toBeLessThanOrEqual(due + 4000);
  });

  test("counts for nothing where the call had begun before it opened", () => {
    const { breaker } = down();
    const due = breaker.probeDueAtMs;
    breaker.succeeded(-1);
    expect(breaker.probeDueAtMs).toBe(due);
  });
});

/** The rules as a program that keeps all that happened. */
class Model {
  state: BreakerState = "closed";
  #calls: { at: number; fault: boolean }[] = [];
  #stalls = 0;
  #openings = 0;
  #probes = 0;
  #dueAt = Number.POSITIVE_INFINITY;
  #renewedAt = -1;
  #closedAt = Number.NEGATIVE_INFINITY;
  #trialAt = Number.NEGATIVE_INFINITY;
  #openedAt = Number.NEGATIVE_INFINITY;
  /** Answers and faults since it opened, or was last probed. */
  #told: { at: number; began: number; good: boolean }[] = [];

  enter(now: number): boolean {
    const isFree = this.state === "half-open" && now - this.#trialAt >= 1000;
    if (isFree) this.#trialAt = now;
    return this.state === "closed" || isFree;
  }

  outcome(kind: "failed" | "succeeded" | "stalled", began: number, now: number): void {
    if (this.state === "open" && began >= this.#openedAt) {
      this.#told.push({ at: now, began, good: kind === "succeeded" });
    }
    if (this.state === "open" || began < this.#renewedAt) return;
    if (this.state === "half-open") {
      if (kind !== "succeeded") this.#open(began, now);
      else {
        this.state = "closed";
        this.#closedAt = now;
        this.#calls = [];
        this.#stalls = 0;
      }
      return;
    }
    if (kind === "stalled") this.#stalls += 1;
    else this.#calls.push({ at: now, fault: kind === "failed" });
    if (kind === "succeeded") this.#stalls = 0;
    const recent = this.#calls.filter(
      ({ at }) => Math.floor(at / 1000) >= Math.floor(now / 1000) - 10,
    );
    const faults = recent.filter(({ fault }) => fault).length;
    const lastFive = this.#calls.slice(-5);
    const isDown = lastFive.length === 5 && lastFive.every(({ fault }) => fault);
    const isBad = recent.length >= 20 && faults >= recent.length / 2;
    if (this.#stalls >= 3 || (kind === "failed" && (isDown || isBad))) this.#open(began, now);
  }

  probe(now: number, succeeds: boolean): void {
    if (now < this.dueAt) return;
    this.#told = [];
    this.#probes += 1;
    this.#dueAt = now + this.#length(this.#openings + this.#probes);
    if (!succeeds) return;
    this.state = "half-open";
    this.#renewedAt = now;
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#openings += this.#probes - 1;
  }

  get dueAt(): number {
    let since = Number.POSITIVE_INFINITY;
    for (const { at, began, good } of this.#told) {
      if (good) since = Math.min(since, at);
      else if (began >= since) since = Number.POSITIVE_INFINITY;
    }
    return Math.min(this.#dueAt, since + 500);
  }

  #open(began: number, now: number): void {
    this.#openedAt = now;
    this.#told = [];
    const isForgotten = this.state === "closed" && now - this.#closedAt >= 30_000;
    this.#openings = isForgotten ? 0 : this.#openings + 1;
    this.#probes = 0;
    this.#dueAt = Math.max(now, began + this.#length(this.#openings));
    this.state = "open";
  }

  #length(openings: number): number {
    return Math.min(1000 * 2 ** openings, 8000);
  }
}

test("it does what the rules say, whatever happens in which order", () => {
  const event = fc.record({
    kind: fc.oneof(
      fc.constantFrom("failed" as const, "succeeded" as const),
      fc.constantFrom("failed" as const, "stalled" as const, "enter" as const),
      fc.constantFrom("probe" as const, "probe" as const, "failing probe" as const),
    ),
    waitMs: fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 3000 }), fc.constantFrom(0, 0, 30_000)),
    tookMs: fc.oneof(fc.constant(0), fc.nat({ max: 5000 })),
    times: fc.integer({ min: 1, max: 6 }),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 120 }), (events) => {
      const { time, breaker } = setUp();
      const model = new Model();
      for (const { kind, waitMs, tookMs, times } of events) {
        time.now += waitMs;
        const began = Math.max(0, time.now - tookMs);
        for (let n = 0; n < times; n += 1) {
          if (kind === "enter") expect(breaker.tryEnter()).toBe(model.enter(time.now));
          else if (kind === "probe" || kind === "failing probe") {
            const isDue = time.now >= breaker.probeDueAtMs;
            if (isDue) breaker.probeStarted(time.now);
            if (isDue && kind === "probe") breaker.probeSucceeded();
            model.probe(time.now, kind === "probe");
          } else {
            breaker[kind](began);
            model.outcome(kind, began, time.now);
          }
          expect(breaker.state).toBe(model.state);
          expect(breaker.probeDueAtMs).toBe(model.dueAt);
        }
      }
    }),
    { numRuns: 2000 },
  );
});

/** What a call or a probe meets at a node that is in trouble. */
const fate = fc.record({
  outcome: fc.constantFrom("failed", "failed", "failed", "succeeded", "stalled", "never"),
  tookMs: fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: 9000 })),
});
type Fate = { readonly outcome: string; readonly tookMs: number };

test("a node that recovered is offered a call again within 10 s, whatever happened before", () => {
  const troubleMs = fc.integer({ min: 0, max: 60_000 });
  const fates = fc.array(fate, { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(troubleMs, fates, fates, (recoveredAt, callFates, probeFates) => {
      const { time, breaker } = setUp();
      const due: { readonly at: number; readonly run: () => void }[] = [];
      const later = (tookMs: number, run: () => void): void => {
        due.push({ at: time.now + tookMs, run });
      };
      let [calls, probes, offeredAt, closedAt] = [0, 0, recoveredAt, -1];
      const next = (from: readonly Fate[], count: number): Fate =>
        time.now >= recoveredAt
          ? { outcome: "succeeded", tookMs: 40 }
          : (from[count % from.length] as Fate);
      const call = (): void => {
        const began = time.now;
        const { outcome, tookMs } = next(callFates, calls);
        calls += 1;
        if (outcome === "failed") later(tookMs, () => breaker.failed(began));
        if (outcome === "stalled") later(tookMs, () => breaker.stalled(began));
        if (outcome === "succeeded") later(tookMs, () => breaker.succeeded(began));
      };
      const probe = (): void => {
        breaker.probeStarted(time.now);
        const { outcome, tookMs } = next(probeFates, probes);
        probes += 1;
        if (outcome === "succeeded") later(tookMs, () => breaker.probeSucceeded());
      };
      for (; time.now < recoveredAt + 30_000; time.now += 20) {
        for (const each of due.filter(({ at }) => at <= time.now)) {
          due.splice(due.indexOf(each), 1);
          each.run();
        }
        if (time.now >= breaker.probeDueAtMs) probe();
        if (breaker.tryEnter()) {
          call();
          if (time.now >= recoveredAt) {
            expect(time.now - offeredAt).toBeLessThanOrEqual(10_000);
            offeredAt = time.now;
          }
        }
        if (breaker.state === "closed") closedAt = time.now;
      }
      expect(time.now - offeredAt).toBeLessThanOrEqual(10_000);
      expect(closedAt).toBeGreaterThanOrEqual(time.now - 20);
    }),
    { numRuns: 300 },
  );
});
