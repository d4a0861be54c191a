import { describe } from "vitest";
import { testDeadAnswers } from "./dead-answers.ts";

describe.each([
  { times: 1000, nodes: 1 },
  { times: 1000, nodes: 2 },
])("nodes: $nodes", testDeadAnswers);
