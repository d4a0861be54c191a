/**
 * The stand-in node as a process, which sends its port to the parent. After a message
 * `{ failing: true }` of the parent it answers every second request with HTTP 500; each such message
 * is answered with its counts. `node bench/stand-in-node.ts EPOCH_MS BLOCK_MS`: its chain grows since
 * that Unix time; without them it stands still.
 */
import { serve } from "./child.ts";
import { StandIn } from "./stand-in.ts";

const [epochMs, blockMs] = process.argv.slice(2).map(Number);
const isGrowing = epochMs !== undefined && blockMs !== undefined;
const node = new StandIn(isGrowing ? { epochMs, blockMs } : null);
process.on("message", (message: { readonly failing: boolean }) => {
  node.isFailing = message.failing;
  process.send?.(node.counts);
});
serve(node.server);
