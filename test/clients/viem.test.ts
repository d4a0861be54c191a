import { connectViem } from "../outside/viem.ts";
import { checkClient } from "./check-client.ts";

checkClient("viem", connectViem, { batches: ["HTTP"] });
