/**
 * Builds dist from src, which `npm pack` puts into the package: `npm run build`. With the name of another folder it
 * builds the program alone, there. Node does not
 * strip types under node_modules, so the package holds JavaScript; and it takes its time, and memory,
 * for every file that it loads, so our modules and all packages but those of `dependencies` are joined
 * to a few files: a start takes 100 ms less and 14 MB. What is read at run time is copied here, and so
 * are the dashboard's pages and the documentation's, which `npm run build:web` and `build:docs` have built.
 */
import { chmodSync, cpSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { builtins } from "./builtins.ts";
import { manifestIn, notices } from "./notices.ts";

const root = join(import.meta.dirname, "..");
const PACKED = "dist";
const folder = process.argv[2] ?? PACKED;
const dist = join(root, folder);
const READ_AT_RUN_TIME = [
  "storage/sqlite/migrations",
  "storage/postgres/migrations",
  "dev/sample-ledger",
];

/** What is started by its path, which is therefore the same in src and dist. */
const ENTRIES = [
  "cli",
  "console/entry",
  "storage/sqlite/worker",
  "block-files/worker",
  "workers/entry",
];

/** It finds all others from where it is itself: in lib, and in no other file. */
const OWN_FILES = { name: "own-files", test: /[\\/]lib[\\/]own-files\.ts$/, priority: 1 };
/**
 * What several entries use would become a dozen small files. To find each of them, Node walks its path by
 * letter, often enough to have that compiled: 5 MB of the compiler stay in memory. What the files of a
 * group import is what the smallest entry, the storage's thread, loads anyway: `pino` is not.
 */
const SHARED = [
  { name: "stores", test: /src\/storage\/(?!copy|open|postgres|sqlite\/(client|thread))/ },
  { name: "access", test: /src\/access\// },
].map((group) => ({ ...group, minShareCount: 3 }));

await build({
  root,
  configFile: false,
  publicDir: false,
  logLevel: "warn",
  ssr: { noExternal: true, external: Object.keys(manifestIn(root).dependencies) },
  plugins: [builtins, notices],
  build: {
    ssr: true,
    target: "node24",
    outDir: dist,
    // Whatever an earlier build left would be packed too.
    emptyOutDir: true,
    // People read what its stack traces show.
    minify: false,
    rolldownOptions: {
      input: Object.fromEntries(ENTRIES.map((entry) => [entry, join(root, `src/${entry}.ts`)])),
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "lib/[name].js",
        // V8 puts the value of a constant into the code that it compiles, and that of a variable never.
        topLevelVar: false,
        codeSplitting: { groups: [OWN_FILES, ...SHARED] },
      },
    },
  },
});
for (const path of READ_AT_RUN_TIME) {
  cpSync(join(root, "src", path), join(dist, path), { recursive: true });
}
if (folder === PACKED) {
  cpSync(join(root, "web/dist"), join(dist, "console/web"), { recursive: true });
  cpSync(join(root, "site/dist"), join(dist, "console/docs"), { recursive: true });
}
chmodSync(join(dist, "cli.js"), 0o755);
