import type { ReloadResult } from "../admin/operations.ts";
import { ConfigError, type Fault } from "../config/faults.ts";
import type { Config } from "../config/schema.ts";
import type { Logger } from "../telemetry/log.ts";
import { redact } from "../telemetry/redact.ts";
import { reloaded } from "./reloadable.ts";

/** A configuration that a running gateway is ready to switch to. The caller has to call one of the two, once. */
export type PreparedReload = {
  /** Resolves once the whole gateway has switched to it. */
  readonly commit: () => Promise<void>;
  readonly abort: () => Promise<void>;
};

/** Makes a running gateway ready for another configuration. Resolves to faults where it cannot switch. Never rejects. */
export type PrepareReload = (config: Config) => Promise<PreparedReload | readonly Fault[]>;

/** What kept a configuration from being read or prepared. */
export function faultsOf(error: unknown): readonly Fault[] {
  if (error instanceof ConfigError) return error.faults;
  return [{ path: "", line: 0, message: redact(String(error)) }];
}

export type ReloadsParts = {
  /** @throws ConfigError */
  readonly read: () => Promise<Config>;
  readonly prepare: PrepareReload;
  /** Told after each reload. */
  readonly applied: (config: Config) => void;
  readonly log: Logger;
};

/** Reads the configuration file of a running gateway again: all of it takes effect, or nothing. */
export class Reloads {
  readonly #parts: ReloadsParts;
  #config: Config;
  #running: Promise<unknown> = Promise.resolve();
  /** One that has not begun to read: it reads what all who ask meanwhile have written. */
  #next: Promise<ReloadResult> | undefined;

  constructor(config: Config, parts: ReloadsParts) {
    this.#config = config;
    this.#parts = parts;
  }

  /** One after the other. Never rejects. */
  request(): Promise<ReloadResult> {
    if (this.#next !== undefined) return this.#next;
    const next = this.#running.then(() => {
      this.#next = undefined;
      return this.#reload();
    });
    this.#next = next;
    this.#running = next;
    return next;
  }

  async #reload(): Promise<ReloadResult> {
    const result = await this.#tried();
    const { log } = this.#parts;
    if (!result.reloaded) {
      log.error({ faults: result.faults }, "the configuration was refused; the old one stays");
    } else if (result.needsRestart.length > 0) {
      const { needsRestart } = result;
      log.warn({ needsRestart }, "configuration reloaded; some settings need a restart");
    } else log.info("configuration reloaded");
    return result;
  }

  async #tried(): Promise<ReloadResult> {
    try {
      const { config, needsRestart } = reloaded(this.#config, await this.#parts.read());
      const prepared = await this.#parts.prepare(config);
      if (!("commit" in prepared)) return { reloaded: false, faults: prepared };
      await prepared.commit();
      this.#config = config;
      this.#parts.applied(config);
      return { reloaded: true, needsRestart };
    } catch (error) {
      return { reloaded: false, faults: faultsOf(error) };
    }
  }
}
