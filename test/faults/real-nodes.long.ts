import { describeRealNodes } from "./real-nodes.ts";

const blows = ["SIGKILL", "SIGSTOP", "an empty restart"] as const;
for (const kind of ["anvil", "ganache", "@ethereumjs/client"] as const) {
  describeRealNodes({ kind, blows, calls: 2000 });
}
