import { describe } from "vitest";
import { describeDifferingHeads } from "./differing-heads.ts";

/** The same with 100,000 calls: differing-heads.long.ts. */
describe.each([true, false])("upstreams with `ws`: %s", (webSocket) => {
  describeDifferingHeads("heads up to five blocks apart", 4000, webSocket);
});
