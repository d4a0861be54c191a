import { defineConfig } from "vitest/config";

/** `long`: what takes minutes; run by `npm run test:long` alone. */
export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    globalSetup: "test/support/run-folder.ts",
    setupFiles: "test/support/record-answers.ts",
    projects: [
      "vitest.unit.config.ts",
      {
        extends: true,
        test: { name: "long", include: ["test/**/*.long.ts"], testTimeout: 3_600_000 },
      },
    ],
  },
});
