import { describe } from "vitest";
import { describeEachFault } from "./each-fault.ts";

describe.each([true, false])("upstreams with `ws`: %s", (webSocket) => {
  describeEachFault({ calls: 2000, webSocket: () => webSocket });
});
