import process from "node:process";
import { setup } from "../../support/run-folder.ts";
import { brokenOrders } from "./orders.ts";

/** A program: prints what the first order, of so many, does that breaks a rule; nothing where none does. */
const most = Number(process.argv[2]);
const remove = setup();
const [found] = await brokenOrders(Array.from({ length: most }, (_, index) => index + 1));
remove();
process.stdout.write(found?.text ?? "");
process.exit(0);
