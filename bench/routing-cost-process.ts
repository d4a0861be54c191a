/** `node bench/routing-cost-process.ts OPTIONS`: `routingCost` as JSON, in a process of its own. */
import { routingCost } from "./routing-cost.ts";

const [options = "{}"] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await routingCost(JSON.parse(options))));
