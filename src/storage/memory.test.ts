import { storeContract } from "../../test/support/store-contract.ts";
import { openMemory } from "./memory.ts";

storeContract("the memory adapter", async () => openMemory());
