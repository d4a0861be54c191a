import { expectFound } from "../../support/found-mutations.ts";
import { FEED_MUTATIONS } from "./feed-mutations.ts";

/** What the next block heals, and what takes nodes that lose what they had, schedules of feeds find. */
const OF_FEEDS_ALONE: ReadonlySet<string> = new Set([
  "a block that is not known yet counts as one that was replaced",
  "nobody is told once a head is back that was another one for a while",
  "a question that no node answered is not asked again",
  "logs that a node has lost are believed to be none",
  "logs that no node tells are not asked for again",
  "a client that reads again is told nothing before the next block",
  "credits for who has left are kept",
  "a block that somebody needed is not kept",
  "an answer that came before anybody wanted it is told to nobody",
  // Its path of blocks contradicts itself, and a schedule that comes upon that never ends.
  "a block of another chain joins the lowest that is kept",
]);

expectFound({
  mutations: FEED_MUTATIONS.filter(({ name }) => !OF_FEEDS_ALONE.has(name)),
  parts: ["src", "test/simulation", "test/credits", "test/support"],
  program: "test/simulation/subscriptions/first-gateway-violation.ts",
  ...{ most: 500, what: "schedules of subscribers" },
});
