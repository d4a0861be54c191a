import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";
import { notices } from "../scripts/notices.ts";

/** The console sends these to whoever takes gzip, and compresses nothing itself. */
const gzipped: Plugin = {
  name: "gzipped",
  apply: "build",
  writeBundle: ({ dir = "" }) => {
    for (const name of readdirSync(join(dir, "assets"))) {
      const file = join(dir, "assets", name);
      writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
    }
  },
};

// biome-ignore lint/style/noDefaultExport: Vite reads its configuration from the default export.
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [gzipped, notices],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // The Content-Security-Policy allows neither inline scripts nor data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Browsers that know light-dark(), which the design tokens are written with.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    reportCompressedSize: true,
  },
  server: { proxy: { "/api": "http://localhost:7545" } },
});
