import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StorageSettings } from "../../src/storage/open.ts";
import { ask } from "../http/ask.ts";
import { openWorkplace, type Started, type Workplace } from "../support/started-gateway.ts";
import { recordKey, temporaryFolder } from "../support/written.ts";
import { type CountingNode, type Price, questionOf, startCountingNode, textOf } from "./calls.ts";
import type { Usage } from "./two-gateways.ts";

export const BALANCE = 20_000;
const DAY_MS = 86_400_000;
const EMAIL = "ada@example.com";

type Parts = { readonly place: Workplace; readonly node: CountingNode; readonly clockFile: string };

/** A folder whose commands and gateways have a clock that is set here, and one account with BALANCE credits a day. */
export class ClockedPlace {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Of the commands and gateways, from the real one. */
  setClock(aheadDays: number): void {
    writeClock(this.#parts.clockFile, aheadDays);
  }

  start(): Promise<Started> {
    return this.#parts.place.start();
  }

  json(...command: readonly string[]): Promise<unknown> {
    return this.#parts.place.json(...command);
  }

  async createKey(): Promise<{ readonly id: string; readonly key: string }> {
    const made = await this.json("keys", "create", "--account", EMAIL, "--name", "test");
    const { id, key } = made as { id: string; key: string };
    recordKey(key);
    return { id, key };
  }

  /** Of the day that the commands take for today; it is exact once leases have gone back. */
  readonly usage = async (): Promise<Pick<Usage, "used" | "left">> => {
    const { used, left } = (await this.json("usage", "--account", EMAIL)) as Usage;
    return { used, left };
  };

  async credit(credits: number): Promise<void> {
    await this.json("accounts", "credit", EMAIL, String(credits));
  }

  async repair(): Promise<readonly object[]> {
    const repaired = (await this.json("accounts", "repair", EMAIL)) as { forgotten: object[] };
    return repaired.forgotten;
  }

  async stop(): Promise<void> {
    await this.#parts.place.clear();
    await this.#parts.node.stop();
  }
}

export async function openClockedPlace(
  storage: StorageSettings,
  {
    workers,
    aheadDays = 0,
  }: { readonly workers?: number | undefined; readonly aheadDays?: number } = {},
): Promise<ClockedPlace> {
  const clockFile = join(temporaryFolder("clock"), "ahead");
  writeClock(clockFile, aheadDays);
  const node = await startCountingNode();
  const config = {
    server: { port: 0, ...(workers && { workers }) },
    admin: { port: 0 },
    storage,
    plans: { day: { dailyCredits: BALANCE, creditsPerSecond: 10 * BALANCE } },
    networks: [
      { name: "node", family: "evm", chainId: 1, upstreams: [{ name: "node", url: node.url }] },
    ],
  };
  const preload = new URL("../support/shifted-clock.ts", import.meta.url);
  preload.searchParams.set("file", clockFile);
  const place = await openWorkplace(config, { preload });
  await place.json("accounts", "create", EMAIL, "--plan", "day");
  return new ClockedPlace({ place, node, clockFile });
}

function writeClock(file: string, aheadDays: number): void {
  writeFileSync(file, String(aheadDays * DAY_MS));
}

/** How the gateway names the day of these days from now. */
export function dayIn(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}

/** A free call: the day that the worker which is asked takes for today. */
export async function dayOf({ port }: Started, key: string): Promise<string> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tollgate_usage", params: [] });
  const { text } = await ask(port, { target: `/node/v3/${key}`, body });
  return (JSON.parse(text) as { result: { day: string } }).result.day;
}

export async function call(
  { port }: Started,
  key: string,
  price: Price = 80,
): Promise<{ readonly status: number; readonly remaining: number }> {
  const body = textOf([questionOf(price)]);
  const { status, headers } = await ask(port, { target: `/node/v3/${key}`, body });
  return { status, remaining: Number(headers["x-credits-remaining"]) };
}
