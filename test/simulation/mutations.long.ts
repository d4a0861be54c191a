import { expectFound } from "../support/found-mutations.ts";
import { MUTATIONS } from "./mutations.ts";

expectFound({
  mutations: MUTATIONS,
  parts: ["src", "test/simulation"],
  program: "test/simulation/first-violation.ts",
  ...{ most: 1500, what: "schedules" },
});
