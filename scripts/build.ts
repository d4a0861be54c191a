/**
 * Compiles src into dist, which `npm pack` puts into the package: `npm run build`. Node does not
 * strip types under node_modules, so the package holds JavaScript. TypeScript copies imported JSON
 * by itself; what is read at run time is copied here, and so are the dashboard's pages, which
 * `npm run build:web` has built.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const READ_AT_RUN_TIME = ["storage/sqlite/migrations", "dev/sample-ledger"];

/** Whatever an earlier build left would be packed too. */
rmSync(dist, { recursive: true, force: true });
const { status } = spawnSync(
  process.execPath,
  [compiler(), "-p", join(root, "tsconfig.build.json")],
  { stdio: "inherit" },
);
if (status === 0) {
  for (const folder of READ_AT_RUN_TIME) {
    cpSync(join(root, "src", folder), join(dist, folder), { recursive: true });
  }
  cpSync(join(root, "web/dist"), join(dist, "console/web"), { recursive: true });
  chmodSync(join(dist, "cli.js"), 0o755);
} else {
  process.exitCode = 1;
}

function compiler(): string {
  const manifest = createRequire(import.meta.url).resolve("typescript/package.json");
  return join(dirname(manifest), "bin", "tsc");
}
