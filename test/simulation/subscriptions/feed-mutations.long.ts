import { expectFound } from "../../support/found-mutations.ts";
import { FEED_MUTATIONS } from "./feed-mutations.ts";

expectFound({
  mutations: FEED_MUTATIONS,
  parts: ["src", "test/simulation", "test/credits", "test/support"],
  program: "test/simulation/subscriptions/first-feed-violation.ts",
  ...{ most: 1000, what: "schedules of feeds" },
});
