import type { Upstream } from "../../upstreams/upstream.ts";
import { readBlock } from "./read-block.ts";

const ASK_MS = 3000;

/** The hash of a block as a healthy primary has it; undefined where none tells. `done` is called once. */
export function askHash(
  upstreams: readonly Upstream[],
  block: number,
  done: (hash: string | undefined) => void,
): void {
  const upstream = upstreams.find(({ role, state }) => role === "primary" && state === "ready");
  if (upstream === undefined) {
    done(undefined);
    return;
  }
  const params = `["0x${block.toString(16)}",false]`;
  upstream.ask({ method: "eth_getBlockByNumber", params, timeoutMs: ASK_MS }, (answer) =>
    done(readBlock(answer)?.hash),
  );
}
