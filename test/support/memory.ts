import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** Collects all garbage of this process now, so that it does not while somebody else is measured. */
export const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes in use by objects and buffers of this process after everything unused was collected. */
export async function usedBytes(): Promise<number> {
  for (let turn = 0; turn < 3; turn += 1) {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
