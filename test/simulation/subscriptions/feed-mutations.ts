import type { Mutation } from "../../support/mutations.ts";

const STORY = "src/subscriptions/chain/block-story.ts";
const SUBSCRIPTION = "src/subscriptions/chain/chain-subscription.ts";
const FEED = "src/subscriptions/evm/chain-feed.ts";
const RECOVERY = "src/subscriptions/chain/chain-recovery.ts";
const DETAILS = "src/subscriptions/chain/block-details.ts";
const LOGS = "src/subscriptions/evm/log-source.ts";
const TOPICS = "src/subscriptions/evm/topics.ts";
const MATCHER = "src/subscriptions/log-matcher.ts";

/** Faults that the schedules of feeds have to find. */
export const FEED_MUTATIONS: readonly Mutation[] = [
  {
    ...{ name: "the next block is told whatever its parent is", file: STORY },
    from: "const block = this.#after.get(hash);",
    to: "const block = this.#path.find((one) => one.number === number + 1);",
  },
  {
    ...{ name: "a block that somebody needed is not kept", file: RECOVERY },
    ...{ from: "        this.#story.learn(block);\n", to: "" },
  },
  {
    ...{ name: "a block that came between two looks is left out", file: SUBSCRIPTION },
    ...{
      from: 'this.#at = kind === "joins" ? block :',
      to: 'this.#at = kind === "joins" ? (this.#parts.story.tip ?? block) :',
    },
  },
  {
    ...{ name: "nobody is told once a head is back that was another one for a while", file: STORY },
    ...{
      from: "    this.#isCurrent = true;\n    this.#tell();\n  }\n\n  #walk",
      to: "  }\n\n  #walk",
    },
  },
  {
    ...{ name: "a question that no node answered is not asked again", file: STORY },
    ...{
      from: "if (block === undefined) this.#tryAgain();",
      to: "if (block === undefined) return;",
    },
  },
  {
    ...{ name: "logs that a node has lost are believed to be none", file: LOGS },
    from: "logs === undefined || logs.count === 0 ? undefined : logs;",
    to: "logs;",
  },
  {
    ...{ name: "logs that no node tells are not asked for again", file: DETAILS },
    ...{ from: "if (detail === undefined && !isOver)", to: "if (detail === undefined && isOver)" },
  },
  {
    ...{ name: "an answer that came before anybody wanted it is told to nobody", file: DETAILS },
    ...{
      from: "      this.#parts.told();\n    };",
      to: "      if (isWanted) this.#parts.told();\n    };",
    },
  },
  {
    ...{ name: "logs of blocks that have left are not removed", file: TOPICS },
    ...{
      from: 'const isRemoving = kind === "leaves";',
      to: 'if (kind === "leaves") return undefined;\n    const isRemoving = false;',
    },
  },
  {
    ...{ name: "after a log the next logs of its block are told once more", file: TOPICS },
    ...{ from: "index <= partly.upTo", to: "index < partly.upTo" },
  },
  {
    ...{ name: "a log in the middle of a block is taken for the last one", file: FEED },
    ...{
      from: "  if (logIndex === undefined) return undefined;",
      to: "  if (logIndex !== undefined) return undefined;",
    },
  },
  {
    ...{ name: "what is off the chain is stepped over", file: SUBSCRIPTION },
    ...{ from: "block : parentOf(block)", to: "block : (this.#parts.story.tip ?? block)" },
  },
  {
    ...{
      name: "a client that reads again is told nothing before the next block",
      file: SUBSCRIPTION,
    },
    ...{ from: "      if (isLater) this.advance();\n", to: "" },
  },
  {
    ...{ name: "what was sent is not told as settled", file: "src/subscriptions/event-meter.ts" },
    ...{ from: "    ledger.settle(reservation, true);\n", to: "    void ledger;\n" },
  },
  {
    ...{ name: "credits for who has left are kept", file: SUBSCRIPTION },
    ...{ from: 'if (!("kind" in outcome)) this.#parts.meter.drop(outcome);', to: "" },
  },
  {
    ...{ name: "a subscription whose client has left is told on", file: SUBSCRIPTION },
    ...{ from: "    this.#parts.ended(this);\n", to: "" },
  },
  {
    ...{ name: "a block that others ask for too is told to one of them", file: RECOVERY },
    ...{
      from: "if (asked !== undefined) asked.waiters.add(own);",
      to: "if (asked !== undefined) void asked;",
    },
  },
  {
    ...{ name: "a block of another chain joins the lowest that is kept", file: STORY },
    ...{ from: "    if (parent.hash !== this.oldest?.parentHash) return;\n", to: "" },
  },
  {
    ...{ name: "a log with fewer topics than the filter's matches", file: MATCHER },
    ...{ from: "if (this.#topics.length > topics.length) return false;", to: "" },
  },
  {
    ...{ name: "a bloom has to hold all alternatives", file: MATCHER },
    from: "for (const bits of all) if (mayHold(bloom, bits)) return true;\n  return false;",
    to: "return all.every((bits) => mayHold(bloom, bits));",
  },
];
