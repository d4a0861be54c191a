import { describeRealNodes } from "./real-nodes.ts";

/** All blows to all kinds, with 2,000 calls each: real-nodes.long.ts. */
const calls = 300;
describeRealNodes({ kind: "anvil", blows: ["SIGKILL", "SIGSTOP", "an empty restart"], calls });
describeRealNodes({ kind: "ganache", blows: ["SIGKILL"], calls });
describeRealNodes({ kind: "@ethereumjs/client", blows: ["SIGSTOP"], calls });
