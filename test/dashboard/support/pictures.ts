import { fileURLToPath } from "node:url";

/** Where pages.test.ts leaves a picture of each page, to be looked at, if PICTURES is set. */
export const PICTURES = fileURLToPath(new URL("../pictures", import.meta.url));
/** Of these, as much as a window shows stands in the documentation. */
export const DOCUMENTED: ReadonlySet<string> = new Set([
  "usage-desktop-light",
  "keys-desktop-light",
  "explorer-desktop-light",
  "networks-desktop-light",
  "usage-phone-dark",
]);
export const DOCUMENTED_PICTURES = `${PICTURES}/docs`;
