import { expect, test } from "vitest";
import { ConfigError } from "../config/faults.ts";
import { parseConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import { createLog } from "../telemetry/log.ts";
import { Reloads } from "./reloads.ts";

const FAULT = { path: "networks", line: 3, message: "is missing" };

const configOf = (level: string): Config =>
  parseConfig(
    JSON.stringify({
      log: { level },
      networks: [
        { name: "main", family: "evm", upstreams: [{ name: "a", url: "http://127.0.0.1/" }] },
      ],
    }),
    { baseDir: "/", environment: {} },
  );

/** A gateway whose file is `file.now`; `held` is waited for before it commits. */
function opened(file: { now: () => Config }) {
  const steps: string[] = [];
  const held = { until: Promise.resolve() };
  const reloads = new Reloads(configOf("info"), {
    read: async () => file.now(),
    prepare: async ({ log: { level } }) => {
      steps.push(`prepare ${level}`);
      return {
        commit: async () => {
          await held.until;
          steps.push(`commit ${level}`);
        },
        abort: async () => undefined,
      };
    },
    applied: ({ log: { level } }) => steps.push(`applied ${level}`),
    log: createLog({ level: "silent", terminal: false }),
  });
  return { reloads, steps, held };
}

test("a file with faults is not prepared, and they are told", async () => {
  const file = {
    now: (): Config => {
      throw new ConfigError([FAULT]);
    },
  };
  const { reloads, steps } = opened(file);
  expect(await reloads.request()).toEqual({ reloaded: false, faults: [FAULT] });
  expect(steps).toEqual([]);
});

test("one reload follows the other, and whoever asks before one begins shares it", async () => {
  const file = { now: () => configOf("debug") };
  const { reloads, steps, held } = opened(file);
  const gate = Promise.withResolvers<void>();
  held.until = gate.promise;
  const first = reloads.request();
  await expect.poll(() => steps).toEqual(["prepare debug"]);
  file.now = () => configOf("warn");
  const [second, third] = [reloads.request(), reloads.request()];
  expect(second).toBe(third);
  gate.resolve();
  expect(await Promise.all([first, second])).toEqual([
    { reloaded: true, needsRestart: [] },
    { reloaded: true, needsRestart: [] },
  ]);
  const of = (level: string) => [`prepare ${level}`, `commit ${level}`, `applied ${level}`];
  expect(steps).toEqual([...of("debug"), ...of("warn")]);
});

test("what fails while it is read or prepared is a fault, and the next reload is tried", async () => {
  const file = {
    now: (): Config => {
      throw new Error("the store does not answer");
    },
  };
  const { reloads } = opened(file);
  const faults = [{ path: "", line: 0, message: "Error: the store does not answer" }];
  expect(await reloads.request()).toEqual({ reloaded: false, faults });
  file.now = () => configOf("debug");
  expect(await reloads.request()).toEqual({ reloaded: true, needsRestart: [] });
});
