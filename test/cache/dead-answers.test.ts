import { describe } from "vitest";
import { testDeadAnswers } from "./dead-answers.ts";

describe.each([
  { times: 25, nodes: 1 },
  { times: 25, nodes: 2 },
])("nodes: $nodes", testDeadAnswers);
