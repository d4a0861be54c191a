import { connectWeb3 } from "../outside/web3.ts";
import { checkClient } from "./check-client.ts";

checkClient("web3", connectWeb3, { batches: ["HTTP", "WebSocket"] });
