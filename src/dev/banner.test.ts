import { describe, expect, test } from "vitest";
import { bannerLines } from "./banner.ts";

const KEY = "tg_6DgLup63oVFroXdCnaT9UC2DUNz8x";
const COLUMNS = 80;
/** What npm prints of `npm start` itself. */
const ROWS_OF_NPM = 4;

const at = (network: string) => ({
  base: `http://127.0.0.1:65535/${network}`,
  wsBase: `ws://127.0.0.1:65535/${network}`,
  apiKey: KEY,
});
const url = "http://localhost:65535";
const signInLink = `${url}/api/auth/magic-link/verify?token=${"t".repeat(32)}&callbackURL=%2F`;
const options = {
  evm: at("dev"),
  slots: at("dev-slots"),
  adminUrl: "http://127.0.0.1:65535",
  page: { url, signInLink },
};

describe("what `tollgate dev` prints", () => {
  test("fills at most 24 rows of 80 columns, with the lines of npm and the longest ports", () => {
    const rows = bannerLines(options).map((line) => Math.max(1, Math.ceil(line.length / COLUMNS)));
    expect(rows.reduce((sum, count) => sum + count, ROWS_OF_NPM)).toBeLessThanOrEqual(24);
  });

  test("names the addresses of both networks, the key and the admin port", () => {
    expect(bannerLines(options)).toEqual(
      expect.arrayContaining([
        `HTTP       http://127.0.0.1:65535/dev/v3/${KEY}`,
        `WebSocket  ws://127.0.0.1:65535/dev/ws/v3/${KEY}`,
        `HTTP       http://127.0.0.1:65535/dev-slots/v3/${KEY}`,
        `WebSocket  ws://127.0.0.1:65535/dev-slots/ws/v3/${KEY}`,
        `API key    ${KEY}`,
        "Admin      http://127.0.0.1:65535/metrics",
      ]),
    );
  });

  test("has one call to paste for each network", () => {
    const calls = bannerLines(options).filter((line) => line.startsWith("curl "));
    expect(calls.map((line) => /dev(?:-slots)?\/v3|"method":"\w+"/g[Symbol.match](line))).toEqual([
      ["dev/v3", '"method":"eth_chainId"'],
      ["dev-slots/v3", '"method":"getSlot"'],
    ]);
  });

  test("ends with the link that signs in", () => {
    expect(bannerLines(options).slice(-2)).toEqual([
      `Dashboard  ${url}`,
      `Sign in    ${signInLink}`,
    ]);
  });

  test("does without a dashboard that does not serve yet", () => {
    const lines = bannerLines({ ...options, page: undefined });
    expect(lines.filter((line) => /Dashboard|Sign in/.test(line))).toEqual([]);
  });
});
