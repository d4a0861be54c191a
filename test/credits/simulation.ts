import { strict as assert } from "node:assert";
import type { PlanConfig } from "../../src/config/plans.ts";
import { LeaseRecovery } from "../../src/credits/lease-recovery.ts";
import type { CreditRefusal, Reservation } from "../../src/credits/ledger.ts";
import type { CreditIdentity } from "../../src/credits/plans.ts";
import type { LedgerStore } from "../../src/storage/ledger-store.ts";
import { openMemory } from "../../src/storage/memory.ts";
import type { Limits } from "../../src/storage/store.ts";
import { Openings } from "./openings.ts";
import {
  type CallInTheAir,
  DAY_MS,
  type SharedTime,
  SimulatedProcess,
} from "./simulated-process.ts";
import type { Statement } from "./simulated-store.ts";

const FIRST_DAY = 20_000;
const NOON_MS = FIRST_DAY * DAY_MS + DAY_MS / 2;
const DEAREST = 1000;
/** A statement that was taken for lost may arrive so late. */
const LATE_MS = 1000;
const NONE: Limits = { creditsPerDay: null, creditsPerSecond: null };

/** How the store behaves: `manual` carries out and answers only what the schedule says. */
export type StoreMode = "prompt" | "manual" | "failing" | "losing answers" | "dying";

export type SimulatedAccount = {
  readonly id: string;
  plan: string;
  limits: Limits;
  /** The key with limits of its own, and its limits. */
  keyLimits: Limits;
  /** The most that its day ever had, and what was added, by day. */
  mostPerDay: number;
  readonly added: Map<number, number>;
};

type SimulationOptions = {
  readonly count?: number;
  readonly isRemote?: boolean;
  readonly keepsJournal?: boolean;
};

/** The whole of it: processes on one store, clients, and the books that the invariants are read from. */
export class Simulation {
  readonly time: SharedTime = { monotonicMs: 1000, wallMs: NOON_MS, realMs: NOON_MS };
  readonly processes: SimulatedProcess[] = [];
  readonly accounts: SimulatedAccount[];
  mode: StoreMode = "prompt";
  /** Told what is released to whom, when. */
  onRelease: (accountId: string, credits: number) => void = () => undefined;
  readonly #plans: Readonly<Record<string, PlanConfig>>;
  readonly #isRemote: boolean;
  readonly #keepsJournal: boolean;
  readonly #store: LedgerStore = openMemory().ledger;
  /** What was served, by `account/day`, in all processes. */
  readonly served = new Map<string, number>();
  /** What the store counts as used and nobody can give back: of crashes, and of answers lost. */
  readonly lost = new Map<string, number>();
  readonly #openings = new Openings();
  #isOneClock = true;
  #fault: unknown;
  #started = 0;
  #deaths = 0;
  /** Statements that were taken for lost, on their way to the store. */
  #late: { readonly process: SimulatedProcess; readonly statement: Statement }[] = [];

  /** `isRemote`: the store is another machine's. `keepsJournal`: of each process, which the next one finds. */
  constructor(
    plans: Readonly<Record<string, PlanConfig>>,
    accounts: readonly string[],
    { count = 1, isRemote = false, keepsJournal = false }: SimulationOptions = {},
  ) {
    this.#plans = plans;
    this.#isRemote = isRemote;
    this.#keepsJournal = keepsJournal;
    this.accounts = accounts.map((plan, index) => ({
      id: `account${index}`,
      plan,
      limits: NONE,
      keyLimits: NONE,
      mostPerDay: 0,
      added: new Map(),
    }));
    for (let each = 0; each < count; each += 1) this.start();
  }

  start(): SimulatedProcess {
    this.#started += 1;
    const process = new SimulatedProcess(`process${this.#started}`, {
      time: this.time,
      store: this.#store,
      plans: this.#plans,
      isRemote: this.#isRemote,
      keepsJournal: this.#keepsJournal,
      sent: (sender, statement) => this.#note(() => this.#sent(sender, statement)),
      taking: (taker, request) => {
        // What a killed process had asked for is asked again as it was.
        if (this.processes.includes(taker)) {
          this.#note(() => this.#openings.sent(taker, request));
        }
      },
      taken: (taker, request) => this.#openings.carriedOut(taker, request),
    });
    this.processes.push(process);
    return process;
  }

  perDay(account: SimulatedAccount): number {
    return account.limits.creditsPerDay ?? this.#plans[account.plan]?.dailyCredits ?? 0;
  }

  perSecond(account: SimulatedAccount): number {
    return account.limits.creditsPerSecond ?? this.#plans[account.plan]?.creditsPerSecond ?? 0;
  }

  /** One call of a client, with the account's plain key or the one that has limits. */
  call(
    process: SimulatedProcess,
    account: SimulatedAccount,
    { credits, limitedKey = false }: { readonly credits: number; readonly limitedKey?: boolean },
  ): Reservation | CreditRefusal | "waiting" {
    const { keyLimits } = account;
    const identity: CreditIdentity = {
      keyId: limitedKey ? `${account.id}/limited` : `${account.id}/plain`,
      accountId: account.id,
      plan: account.plan,
      accountLimits: account.limits,
      keyLimits: limitedKey ? keyLimits : NONE,
    };
    const hasRow =
      limitedKey && (keyLimits.creditsPerDay !== null || keyLimits.creditsPerSecond !== null);
    const keyOwner = hasRow ? identity.keyId : undefined;
    this.#followBounds(process, account, keyOwner);
    const call = { accountId: account.id, keyOwner, credits };
    let told = 0;
    // Held of the key, though the account has none for it.
    if (keyOwner !== undefined) process.moved(keyOwner, credits, false);
    // Beforehand: the take that it waits for is sent before `admit` returns.
    this.#wait(process, call, credits);
    const admitted = (later: Reservation | CreditRefusal) =>
      this.#note(() => {
        told += 1;
        assert.equal(told, 1, "a call that waited is told once");
        assert.equal(outcome, "waiting", "only a call that waits is told later");
        process.waitingCalls -= 1;
        this.#wait(process, call, -credits);
        this.#release(process, call, later);
      });
    const outcome = process.ledger.admit(identity, credits, { admitted });
    if (outcome === "waiting") process.waitingCalls += 1;
    else {
      this.#wait(process, call, -credits);
      this.#release(process, call, outcome);
    }
    return outcome;
  }

  /** A call in the air ends. */
  settle(process: SimulatedProcess, index: number, served: boolean): void {
    const [call] = process.calls.splice(index, 1);
    if (call === undefined) return;
    const { accountId, keyOwner, credits, reservation } = call;
    const day = `${accountId}/${reservation.day}`;
    for (const name of [accountId, day, keyOwner]) {
      if (name === undefined) continue;
      const book = process.book(name);
      book.held -= credits;
      if (served) book.served += credits;
      else process.moved(name, credits, true);
    }
    if (served) this.served.set(day, (this.served.get(day) ?? 0) + credits);
    process.ledger.settle(reservation, served);
  }

  /** A statement goes one step on: to the store, then back. */
  async proceed(process: SimulatedProcess, statement: Statement): Promise<void> {
    if (statement.carriedOut) {
      if (statement.kind === "take") process.inDoubt.delete(statement.owner);
      statement.answer();
      return;
    }
    await this.#carryOut(process, statement);
  }

  async #carryOut(process: SimulatedProcess, statement: Statement): Promise<void> {
    await statement.carryOut();
    const { kind, owner, credits, granted, day } = statement;
    if (kind === "giveBack") {
      assert.ok(credits <= process.open(owner), "no more goes back than was taken");
      for (const name of namesOf(owner, day)) process.book(name).returned += credits;
      for (const name of namesOf(owner, day)) {
        assert.ok(process.open(name) >= 0, `credits go back to the day they are of: ${name}`);
      }
    }
    if (granted === undefined) return;
    for (const name of namesOf(owner, granted.day)) process.book(name).taken += granted.granted;
  }

  /**
   * A statement fails: before it reached the store, or after it was carried out. `isOutcomeUnknown`:
   * the process is told that it may be either.
   */
  fail(process: SimulatedProcess, statement: Statement, isOutcomeUnknown = false): void {
    const { kind, owner, granted, carriedOut } = statement;
    if (kind === "take" && isOutcomeUnknown) process.inDoubt.add(owner);
    // A give-back that was carried out is never told as refused: that is what adapters promise.
    if (carriedOut && kind === "giveBack" && !isOutcomeUnknown) {
      statement.answer();
      return;
    }
    // It may arrive later, when nobody waits for it.
    if (!carriedOut && isOutcomeUnknown) this.#late.push({ process, statement });
    // What an adapter says has failed, and has not, is lost. What is not known is asked again.
    const isAskedAgain = isOutcomeUnknown || process.inDoubt.has(owner);
    if (carriedOut && granted !== undefined && !isAskedAgain) {
      for (const name of namesOf(owner, granted.day)) {
        process.wasLiedTo = true;
        process.book(name).taken -= granted.granted;
        this.#lose(name, granted.granted);
      }
    }
    if (kind === "giveBack") process.isRefused = true;
    statement.fail(isOutcomeUnknown);
  }

  /** Carries out and answers everything, as the mode has it, until nothing is on its way. */
  async deliver(): Promise<void> {
    if (this.mode === "manual") return;
    for (let round = 0; round < 1000; round += 1) {
      let any = false;
      for (const process of this.processes) {
        for (const statement of [...process.store.statements]) {
          any = true;
          await this.#deliverOne(process, statement);
        }
      }
      if (!any) return;
      await turn();
    }
    assert.fail("the ledger asks the store again and again");
  }

  async #deliverOne(process: SimulatedProcess, statement: Statement): Promise<void> {
    if (this.mode === "failing") this.fail(process, statement);
    else if (this.mode === "dying") {
      this.#deaths += 1;
      if (!statement.carriedOut && this.#deaths % 2 === 0) await this.proceed(process, statement);
      this.fail(process, statement, true);
    } else if (this.mode === "losing answers" && statement.kind === "take") {
      if (!statement.carriedOut) await this.proceed(process, statement);
      this.fail(process, statement);
    } else {
      await this.proceed(process, statement);
      if (process.store.statements.has(statement)) await this.proceed(process, statement);
    }
  }

  /** Time passes; the ledgers' timers run when they are due, the store works as the mode has it. */
  async pass(ms: number): Promise<void> {
    if (ms >= LATE_MS) await this.#arriveLate();
    const endMs = this.time.monotonicMs + ms;
    for (;;) {
      const nextMs = Math.min(endMs, ...this.processes.map(({ nextTickMs }) => nextTickMs));
      this.#advance(nextMs - this.time.monotonicMs);
      for (const process of this.processes) process.tick();
      await turn();
      await this.deliver();
      if (nextMs >= endMs) break;
    }
    // Two ticks: one for the statement that finds out, one for the rest.
    if (this.mode !== "prompt" || ms < 1000) return;
    for (const process of this.processes) process.isRefused = false;
  }

  async #arriveLate(): Promise<void> {
    for (const { process, statement } of this.#late.splice(0)) {
      await this.#carryOut(process, statement);
      // Its process is gone, and knows nothing of it.
      if (this.processes.includes(process)) continue;
      const { kind, owner, credits, granted, day } = statement;
      const back = kind === "giveBack" ? credits : 0;
      for (const name of namesOf(owner, granted?.day ?? day)) {
        this.#lose(name, (granted?.granted ?? 0) - back);
      }
    }
  }

  /** Hours pass in which nobody calls: the timers run once, at the end. */
  async sleep(ms: number): Promise<void> {
    // They run before, too: a jump is not found out hours later.
    await this.pass(250);
    this.#advance(ms);
    for (const process of this.processes) process.tick();
    await turn();
    await this.deliver();
  }

  #advance(ms: number): void {
    const before = this.processes.map((process) => process.day);
    this.time.monotonicMs += ms;
    this.time.wallMs += ms;
    this.time.realMs += ms;
    for (const [index, process] of this.processes.entries()) process.passed(before[index] ?? 0);
  }

  /** A clock is set: of one process, or of all. */
  jump(ms: number, process?: SimulatedProcess): void {
    if (process === undefined) this.time.wallMs += ms;
    else {
      process.wallOffsetMs += ms;
      this.#isOneClock = false;
    }
    for (const each of process === undefined ? this.processes : [process]) each.jumped(ms);
  }

  /** All clocks are set right. */
  setRight(): void {
    const { wallMs, realMs } = this.time;
    for (const process of this.processes) {
      process.jumped(realMs - process.now);
      process.wallOffsetMs = 0;
    }
    this.time.wallMs += realMs - wallMs;
  }

  /** `kill -9`: nothing is given back. Its statements are on their way still, or get lost. */
  async crash(process: SimulatedProcess, arrive: boolean): Promise<void> {
    if (arrive) {
      for (const statement of process.store.statements) {
        if (!statement.carriedOut) await this.proceed(process, statement);
      }
    }
    this.processes.splice(this.processes.indexOf(process), 1);
    await this.#recover(process);
    for (const name of process.books.keys()) this.#lose(name, process.open(name));
  }

  /** What the next process does with the journal of one that was killed. */
  async #recover(process: SimulatedProcess): Promise<void> {
    const { journal, store } = process;
    if (journal === undefined || process.wasLiedTo) return;
    store.statements.clear();
    const clock = { now: () => process.now, every: () => () => undefined };
    let isDone = false;
    const recovery = new LeaseRecovery({ journal, store, clock, onDone: () => undefined });
    void recovery.run().then(() => {
      isDone = true;
    });
    for (let round = 0; !isDone; round += 1) {
      assert.ok(round < 1000, "the leases of a killed process go back");
      await turn();
      for (const statement of [...store.statements]) {
        await this.#carryOut(process, statement);
        statement.answer();
      }
    }
    for (const [name, { held }] of process.books) {
      const open = process.open(name);
      assert.ok(open >= held, `what was served stays charged: ${name} has ${open} of ${held}`);
      if (/\/\d+$/.test(name)) continue;
      const most = process.costOfKill(name) + (process.waiting.get(name) ?? 0);
      assert.ok(open - held <= most, `a kill costs ${name} ${open - held}, over ${most}`);
    }
  }

  async add(account: SimulatedAccount, credits: number): Promise<void> {
    const day = Math.floor(this.time.wallMs / DAY_MS);
    account.added.set(day, (account.added.get(day) ?? 0) + credits);
    await this.#store.add(account.id, day, credits);
  }

  async usedOf(owner: string, day: number): Promise<number> {
    return (await this.#store.read(owner, day)).used;
  }

  /**
   * Once the clocks are right: what is left of the real day can be spent, to the credit where that is
   * less than the dearest call, and not one credit more.
   */
  async spendTheRest(): Promise<void> {
    for (const account of this.accounts) {
      // Nothing tells a day's rest before its first call where it shares a balance.
      await this.#spendOne(account, () => 5);
      await this.#spendOne(account, (rest) => rest + 1);
      await this.#spendOne(account, (rest) => rest);
    }
  }

  async #spendOne(account: SimulatedAccount, price: (rest: number) => number): Promise<void> {
    const [process] = this.processes;
    if (process === undefined) return;
    // What a wrong clock wrote of the throughput a day ago may look like two seconds ago.
    for (let isLast = false; ; isLast = true) {
      // The bucket is full even after the dearest call of the slowest plan, and the store takes no other process for present.
      await this.pass(11_000);
      const { used, added } = await this.#store.read(account.id, process.realDay);
      const rest = this.perDay(account) + added - used;
      const credits = Math.max(1, Math.min(DEAREST, price(rest)));
      const isKnown = this.#openings.isOpen(account.id, process.realDay);
      const isServed = await this.#callOnce(process, account, credits);
      const expected = rest >= credits && this.perSecond(account) > 0;
      if (!isKnown || isServed === expected) return;
      const message = `${account.id} with ${rest} left, a call of ${credits} served: ${isServed}`;
      assert.ok(expected && !isLast, message);
    }
  }

  /** Whether a call is served. */
  async #callOnce(
    process: SimulatedProcess,
    account: SimulatedAccount,
    credits: number,
  ): Promise<boolean> {
    const before: number = process.calls.length;
    this.call(process, account, { credits });
    await this.deliver();
    await turn();
    const isServed: boolean = process.calls.length > before;
    while (process.calls.length > 0) this.settle(process, 0, true);
    return isServed;
  }

  /** Everything ends well: the store works, calls end, the processes live. Then it must be exact. */
  async quiesce(): Promise<void> {
    this.mode = "prompt";
    // Two ticks bring back what the store refused; calls may have waited for that.
    await this.pass(500);
    for (const process of this.processes) {
      while (process.calls.length > 0) this.settle(process, 0, true);
    }
    await this.pass(2000);
    for (const process of this.processes) {
      assert.equal(process.waitingCalls, 0, "every call that waited was told");
      for (const name of process.books.keys()) {
        assert.equal(process.open(name), 0, `charged is what was served: ${process.name} ${name}`);
      }
    }
    for (const [name, credits] of this.served) {
      const [owner = "", day = ""] = name.split("/");
      const used = await this.usedOf(owner, Number(day));
      let expected = credits + (this.lost.get(name) ?? 0);
      const { added } = this.accounts.find(({ id }) => id === owner) ?? {};
      for (const other of this.#openings.sharing(owner, Number(day))) {
        const its = `${owner}/${other}`;
        const spent = (this.served.get(its) ?? 0) + (this.lost.get(its) ?? 0);
        expected += Math.max(0, spent - (added?.get(other) ?? 0));
      }
      assert.equal(used, expected, `used is what was served: ${name}`);
    }
  }

  /** What is checked in the ledger's own callbacks must not be lost in its promises. */
  #note(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#fault ??= error;
    }
  }

  /** After a stop while the store works nothing is open, and nobody gets credits. */
  checkStopped(process: SimulatedProcess): void {
    for (const name of process.books.keys()) {
      assert.equal(process.open(name), 0, `a stop gives everything back: ${name}`);
    }
    for (const account of this.accounts) {
      const outcome = this.call(process, account, { credits: 80 });
      assert.ok(outcome !== "waiting" && "kind" in outcome, "a stopped ledger refuses");
    }
  }

  /** The invariants that hold at any moment. */
  check(): void {
    if (this.#fault !== undefined) throw this.#fault;
    for (const account of this.accounts) this.#checkBalance(account);
    for (const process of this.processes) {
      for (const [name, { held }] of process.books) {
        const open = process.open(name);
        assert.ok(open >= held, `calls in the air are paid for: ${name} has ${open} of ${held}`);
        const bound = process.bounds.get(name);
        if (bound === undefined || process.isReturning(name)) continue;
        const most = Math.max(bound, process.waiting.get(name) ?? 0);
        assert.ok(open - held <= most, `a lease of ${name} is ${open - held}, over ${most}`);
      }
    }
  }

  #checkBalance(account: SimulatedAccount): void {
    account.mostPerDay = Math.max(account.mostPerDay, this.perDay(account));
    for (const [name, served] of this.served) {
      const [owner, day] = name.split("/");
      if (owner !== account.id) continue;
      const most = account.mostPerDay + (account.added.get(Number(day)) ?? 0);
      assert.ok(served <= most, `${name} was served ${served} of ${most}`);
    }
    // Workers with clocks of their own would be machines of their own.
    const by = this.#isOneClock ? "gateway" : "process";
    for (const { by: openers, days } of this.#openings.opened(account.id, by)) {
      const real = Math.max(...openers.map(({ realDays }) => realDays));
      const beside = openers.some(({ passedWrongMidnight }) => passedWrongMidnight) ? 2 : 1;
      const most = account.mostPerDay * (real + beside);
      const served = days.reduce((sum, day) => {
        const credits = this.served.get(`${account.id}/${day}`) ?? 0;
        return sum + Math.max(0, credits - (account.added.get(day) ?? 0));
      }, 0);
      const opened = `on days that ${openers[0]?.name} or its workers opened`;
      assert.ok(served <= most, `${account.id} was served ${served} of ${most} ${opened}`);
    }
  }

  #followBounds(
    process: SimulatedProcess,
    account: SimulatedAccount,
    keyOwner: string | undefined,
  ): void {
    const ofAccount = this.#boundOf(this.perDay(account), this.perSecond(account));
    this.#followBound(process, account.id, ofAccount);
    if (keyOwner === undefined) return;
    const { creditsPerDay, creditsPerSecond } = account.keyLimits;
    const perSecond = creditsPerSecond ?? this.perSecond(account);
    this.#followBound(process, keyOwner, this.#boundOf(creditsPerDay ?? 1e15, perSecond));
  }

  /** As docs/credits.md has it. */
  #boundOf(perDay: number, perSecond: number): number {
    const most = Math.floor(perDay / 100);
    return Math.max(DEAREST, this.#isRemote ? most : Math.min(perSecond, most));
  }

  /** A lower bound holds from the next call on; what is asked for already may arrive once more. */
  #followBound(process: SimulatedProcess, owner: string, bound: number): void {
    const last = process.bounds.get(owner) ?? 0;
    const isAsked = [...process.store.statements].some(
      ({ kind, owner: of }) => kind === "take" && of === owner,
    );
    const asked = isAsked || process.inDoubt.has(owner);
    process.bounds.set(owner, asked ? Math.max(last, bound) : bound);
  }

  #sent(process: SimulatedProcess, { kind, owner, credits, isRepeated }: Statement): void {
    // What asks for another process may ask for several of its days at once.
    if (kind !== "take" || !this.processes.includes(process)) return;
    const bound = process.bounds.get(owner) ?? 0;
    const { held } = process.book(owner);
    const others = [...process.store.statements].filter(
      (each) => each.kind === "take" && each.owner === owner,
    );
    assert.equal(others.length, 1, "one take of an owner is in the air");
    assert.ok(credits <= bound, `a lease of ${credits} is over the bound of ${bound}`);
    // One for nothing opens nothing: what stays over the bound after a call ended free goes back in the same tick.
    if (isRepeated || credits === 0) return;
    const open = process.open(owner) + credits;
    const most = Math.max(bound, held + (process.waiting.get(owner) ?? 0));
    assert.ok(open <= most, `${owner} has ${open} open, over ${most}`);
    // A key's call may hold its credits and wait for the account's.
    if (owner.includes("/")) return;
    assert.ok(open - held <= bound, `${owner} has ${open - held} beside its calls, over ${bound}`);
  }

  #wait(process: SimulatedProcess, call: Omit<CallInTheAir, "reservation">, credits: number): void {
    for (const owner of [call.accountId, call.keyOwner]) {
      if (owner === undefined) continue;
      process.waiting.set(owner, (process.waiting.get(owner) ?? 0) + credits);
    }
  }

  #release(
    process: SimulatedProcess,
    call: Omit<CallInTheAir, "reservation">,
    outcome: Reservation | CreditRefusal,
  ): void {
    const { accountId, keyOwner, credits } = call;
    if ("kind" in outcome) {
      if (keyOwner !== undefined) process.moved(keyOwner, credits, true);
      return;
    }
    const { day } = outcome;
    assert.equal(day, process.day, "a call is charged to the day of the clock");
    for (const name of [accountId, `${accountId}/${day}`, keyOwner]) {
      if (name === undefined) continue;
      process.book(name).held += credits;
      if (name !== keyOwner) process.moved(name, credits, false);
    }
    process.calls.push({ ...call, reservation: outcome });
    this.onRelease(accountId, credits);
  }

  #lose(name: string, credits: number): void {
    this.lost.set(name, (this.lost.get(name) ?? 0) + credits);
  }
}

/** The books of an owner: the whole, and of accounts each day. A key's day is its account's. */
function namesOf(owner: string, day: number): readonly string[] {
  return owner.includes("/") ? [owner] : [owner, `${owner}/${day}`];
}

/** Lets what was resolved run on. */
export async function turn(): Promise<void> {
  await undefined;
  await undefined;
  await undefined;
}
