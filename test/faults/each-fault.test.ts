import { describeEachFault } from "./each-fault.ts";

/** The same with 2,000 calls for each fault: each-fault.long.ts. */
describeEachFault({ calls: 200, webSocket: (index) => index % 2 === 0 });
