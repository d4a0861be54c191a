import { describe } from "vitest";
import { testReorganisations } from "./reorganisations.ts";

describe.each([
  { times: 1000, webSocket: true },
  { times: 100, webSocket: false },
])("upstreams with `ws`: $webSocket", testReorganisations);
