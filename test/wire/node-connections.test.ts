import { vi } from "vitest";

// Before anything reads it: the same tests, with connections of node:http.
vi.hoisted(() => vi.stubEnv("TOLLGATE_WIRE", "node"));

await import("../../src/wire/client/connection-pool.test.ts");
await import("../../src/wire/client/connection-pool-tls.test.ts");
