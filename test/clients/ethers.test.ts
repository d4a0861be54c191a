import { connectEthers } from "../outside/ethers.ts";
import { checkClient } from "./check-client.ts";

checkClient("ethers", connectEthers, { batches: ["HTTP"] });
