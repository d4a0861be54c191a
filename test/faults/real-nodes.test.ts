import { describeRealNodes } from "./real-nodes.ts";

/** All blows to all kinds, with 2,000 calls each: real-nodes.long.ts. */
const calls = 300;
// Other tests run beside this one; a call that waited for its deadline would take longer still.
const slack = 3;
const blows = ["SIGKILL", "SIGSTOP", "an empty restart"] as const;
describeRealNodes({ kind: "anvil", blows, calls, slack });
describeRealNodes({ kind: "ganache", blows: ["SIGKILL"], calls, slack });
describeRealNodes({ kind: "@ethereumjs/client", blows: ["SIGSTOP"], calls, slack });
