import { describe } from "vitest";
import { describeDifferingHeads } from "./differing-heads.ts";

describe.each([true, false])("upstreams with `ws`: %s", (webSocket) => {
  describeDifferingHeads("heads up to five blocks apart", 100_000, webSocket);
});
