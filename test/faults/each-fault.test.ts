import { describeEachFault } from "./each-fault.ts";

/** The same with 2,000 calls for each fault: each-fault.long.ts. */
// Other tests run beside this one; the slowest fault is still far above.
describeEachFault({ calls: 200, webSocket: (index) => index % 2 === 0, slack: 3 });
