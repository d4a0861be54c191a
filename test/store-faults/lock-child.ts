import { DatabaseSync } from "node:sqlite";

/** Holds the file for itself, as a process that writes for long would, until it is told to end. */
const db = new DatabaseSync(process.argv[2] ?? "", { timeout: 5000 });
db.exec("BEGIN EXCLUSIVE");
process.send?.("locked");
process.once("message", () => {
  db.exec("COMMIT");
  db.close();
  process.disconnect();
});
