import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { registerPages } from "./pages.ts";

const root = mkdtempSync(join(tmpdir(), "pages-"));
const folder = join(root, "dist");
let app: FastifyInstance;

beforeAll(async () => {
  mkdirSync(join(folder, "assets"), { recursive: true });
  writeFileSync(join(folder, "index.html"), "<title>pages</title>");
  writeFileSync(join(folder, "icon.svg"), "<svg/>");
  writeFileSync(join(folder, "assets/index-abc123.js"), "0");
  writeFileSync(join(root, "secret.txt"), "secret");
  app = fastify();
  await registerPages(app, { folder, publicUrl: "http://localhost:7545" });
});
afterAll(async () => {
  await app.close();
  rmSync(root, { recursive: true });
});

const get = (url: string) => app.inject({ url, headers: { host: "localhost:7545" } });

test("files with a hash in their names are kept for good, others are asked for again", async () => {
  const kinds = ["/assets/index-abc123.js", "/icon.svg", "/", "/keys", "/index.html"];
  const answers = await Promise.all(kinds.map(get));
  expect(answers.map(({ headers }) => headers["cache-control"])).toEqual([
    "public, max-age=31536000, immutable",
    "no-cache",
    "no-store",
    "no-store",
    undefined,
  ]);
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 404]);
  expect(answers.map(({ headers }) => headers["content-type"])).toEqual([
    expect.stringContaining("javascript"),
    "image/svg+xml",
    "text/html; charset=utf-8",
    "text/html; charset=utf-8",
    "application/json; charset=utf-8",
  ]);
});

test("no address leads out of the folder", async () => {
  for (const path of [
    "/../secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e/secret.txt",
    "/assets/../../secret.txt",
    "//secret.txt",
    "/assets/..%5c..%5csecret.txt",
    "/assets/index-abc123.js%00.svg",
  ]) {
    const { statusCode, payload } = await get(path);
    expect(statusCode, path).toBeGreaterThanOrEqual(400);
    expect(payload).not.toMatch(/^secret/);
  }
});

test("what was not built says how to build it", async () => {
  const bare = fastify();
  await registerPages(bare, { folder: join(root, "none"), publicUrl: "http://localhost:7545" });
  const { statusCode, payload } = await bare.inject("/keys");
  expect([statusCode, payload]).toEqual([503, expect.stringContaining("npm run build:web")]);
  await bare.close();
});
