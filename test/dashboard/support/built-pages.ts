import { existsSync, renameSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const WEB = fileURLToPath(new URL("../../../web", import.meta.url));
/** Where the dashboard looks for its pages in a checkout; `npm install` builds them there. */
export const PAGES = `${WEB}/dist`;

/** Builds the pages where nobody has. */
export async function requirePages(): Promise<void> {
  if (existsSync(`${PAGES}/index.html`)) return;
  // Beside it, then moved: another test file may look for them at the same time.
  const outDir = `${WEB}/dist/.${process.pid}`;
  await build({ configFile: `${WEB}/vite.config.ts`, logLevel: "warn", build: { outDir } });
  for (const name of ["assets", "index.html"]) {
    if (!existsSync(`${PAGES}/${name}`)) renameSync(`${outDir}/${name}`, `${PAGES}/${name}`);
  }
  rmSync(outDir, { recursive: true, force: true });
}
