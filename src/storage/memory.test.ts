import { fleetTimeContract } from "../../test/support/fleet-contract.ts";
import { reserveContract, sharesContract } from "../../test/support/ledger-contract.ts";
import { storeContract } from "../../test/support/store-contract.ts";
import { openMemory } from "./memory.ts";

storeContract("the memory adapter", async () => openMemory());
reserveContract(async () => openMemory());
sharesContract(async () => openMemory());

fleetTimeContract(async () => openMemory());
