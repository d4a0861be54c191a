import type { Mutation } from "../../support/mutations.ts";

const ANSWERS = "src/networks/answers.ts";
const AUTHENTICATOR = "src/access/authenticator.ts";
const BALANCE = "src/credits/daily-balance.ts";
const LEDGER = "src/storage/memory/ledger.ts";
const RECORDER = "src/usage/usage-recorder.ts";
const RETURNS = "src/credits/credit-returns.ts";
const TAKER = "src/credits/lease-taker.ts";

/** Faults that the schedules of fleets have to find. */
export const FLEET_MUTATIONS: readonly Mutation[] = [
  {
    ...{ name: "a take that is asked again is carried out again", file: LEDGER },
    ...{ from: "taken.number >= number", to: "taken.number > number" },
  },
  {
    ...{ name: "what goes back is taken twice", file: LEDGER },
    ...{ from: "return total - before;", to: "return 2 * (total - before);" },
  },
  {
    ...{ name: "a total that has grown is taken whole", file: LEDGER },
    ...{ from: "return total - before;", to: "return total;" },
  },
  {
    ...{ name: "a day gives more than it has left", file: LEDGER },
    ...{ from: "rest < least ? 0 : Math.min(most,", to: "Math.min(most," },
  },
  {
    ...{ name: "a debit has no lock on its row", file: LEDGER },
    from: "const row = rowOf(days, day);\n      if (row.sharing",
    to: "const row = { ...rowOf(days, day) };\n      await undefined;\n      days.set(day, row);\n      if (row.sharing",
  },
  {
    ...{ name: "several processes are not held to one bucket", file: LEDGER },
    ...{ from: "const shared = isRecent(seats.otherAt, moment);", to: "const shared = false;" },
  },
  {
    ...{ name: "a take of which nobody knows the outcome is taken for failed", file: TAKER },
    ...{
      from: "if (isOutcomeUnknown(error)) this.#inDoubt = asked;",
      to: "void isOutcomeUnknown;",
    },
  },
  {
    ...{ name: "credits on their way back are taken for returned when that failed", file: RETURNS },
    from: "        this.#failing = true;\n        health.failed(error);\n",
    to: "        series.arrived = total;\n        health.failed(error);\n",
  },
  {
    ...{ name: "a lease that lies idle is not given back", file: BALANCE },
    ...{ from: "const IDLE_MS = 1000;", to: "const IDLE_MS = 100_000;" },
  },
  {
    ...{ name: "what was not served is not put back", file: BALANCE },
    ...{ from: "    this.#open.putBack(lease, credits);\n", to: "" },
  },
  {
    ...{ name: "a call that is refused by its account keeps its key's credits" },
    file: "src/credits/admission.ts",
    from: "  if (keyLease !== undefined) key?.balance.settle(keyLease, credits, false);\n",
    to: "",
  },
  {
    ...{ name: "credits are spent before the journal knows", file: "src/credits/open-lease.ts" },
    from: "      this.#notes.spent(credits, this.unspent);\n      this.#note();\n",
    to: "      this.#notes.spent(credits, this.unspent);\n",
  },
  {
    ...{ name: "the journal's lease goes back twice", file: "src/credits/lease-recovery.ts" },
    from: "const total = lease.total + arriving;",
    to: "const total = 2 * lease.total + arriving;",
  },
  {
    ...{ name: "the journal's take is not asked again", file: "src/credits/lease-recovery.ts" },
    from: "const grant = take && (await store.take({ ...take, now: clock.now() }));",
    to: "const grant = undefined as { granted: number; reserved?: number } | undefined;\n    void [take, clock];",
  },
  {
    ...{ name: "changes of keys are not followed", file: AUTHENTICATOR },
    ...{ from: "      this.#changes.add(news);\n", to: "" },
  },
  {
    ...{ name: "a poll that failed is taken for done", file: AUTHENTICATOR },
    from: "      const concerns = matcher(news);\n",
    to: "      const concerns = matcher(news);\n      this.#seq = news.seq;\n      if (this.#failing) {\n        this.#failing = false;\n        return;\n      }\n",
  },
  {
    ...{ name: "holders of a key are not told that it ended", file: "src/access/watches.ts" },
    ...{ from: "for (const listener of watched.listeners) listener(now);", to: "" },
  },
  {
    ...{ name: "a key that is read again keeps what was known of it" },
    ...{ file: "src/access/known-keys.ts", from: "    known.identity = identity;\n", to: "" },
  },
  {
    ...{ name: "usage that may have been written is written anew", file: RECORDER },
    from: "if (isOutcomeUnknown(error)) this.#inDoubt = batch;\n      else if",
    to: "void isOutcomeUnknown;\n      if",
  },
  {
    ...{ name: "usage that could not be written is forgotten", file: RECORDER },
    from: "else if (this.#inDoubt === undefined) this.#unwritten.putBack(batch);",
    to: "",
  },
  {
    ...{ name: "partners' calls are counted by each gateway alone" },
    file: "src/storage/memory/partners.ts",
    from: "(caps.day ?? Number.POSITIVE_INFINITY) - taken.day",
    to: "(caps.day ?? Number.POSITIVE_INFINITY) - taken.day * 0",
  },
  {
    ...{ name: "answers of blocks that were replaced are kept", file: ANSWERS },
    ...{ from: "kept.dropAbove(commonAncestor);", to: "void kept;" },
  },
  {
    ...{ name: "one block too few is dropped", file: ANSWERS },
    ...{ from: "kept.dropAbove(commonAncestor);", to: "kept.dropAbove(commonAncestor + 1);" },
  },
  {
    ...{ name: "calls join one that was asked before a reorganisation", file: ANSWERS },
    ...{ from: "this.#epoch += 1;", to: "" },
  },
  {
    ...{ name: "the common ancestor that is told is one too high" },
    file: "src/networks/evm/head-view.ts",
    ...{ from: "commonAncestor: kept, from", to: "commonAncestor: kept + 1, from" },
  },
  {
    ...{
      name: "an account's calls go before those of others",
      file: "src/wire/client/fair-line.ts",
    },
    from: "      this.#fresh.set(account, line);\n    } else",
    to: '      this.#fresh.set(account, line);\n    } else if (account !== "") { return this.#own.push(exchange); } else',
  },
];
