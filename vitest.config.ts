import { defineConfig } from "vitest/config";

/** `long`: what takes minutes; run by `npm run test:long` alone. */
export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["{src,test,bench}/**/*.test.ts"],
          exclude: ["test/outside/node_modules/**"],
        },
      },
      {
        extends: true,
        test: { name: "long", include: ["test/**/*.long.ts"], testTimeout: 3_600_000 },
      },
    ],
  },
});
