import { setTimeout } from "node:timers/promises";
import { ask } from "../http/ask.ts";
import { makeCustomer, type Started, type Workplace } from "../support/started-gateway.ts";

/** Of each call. */
export const PRICE = 80;
const AGAIN_WITHIN_MS = 10_000;

export type Customer = { readonly email: string; readonly key: string };

export async function customer(
  workplace: Workplace,
  { name, plan }: { readonly name: string; readonly plan: string },
): Promise<Customer> {
  const email = `${name}@example.com`;
  return { email, key: (await makeCustomer(workplace, { email, plan })).key };
}

export async function usedOf({ json }: Workplace, { email }: Customer): Promise<number> {
  return ((await json("usage", "--account", email)) as { readonly used: number }).used;
}

/** Calls at a steady pace, and what they cost. */
export class Calls {
  served = 0;
  readonly #gateways: readonly Started[];
  #made = 0;

  /** Each in turn. */
  constructor(...gateways: readonly Started[]) {
    this.#gateways = gateways;
  }

  async make({ key }: Customer): ReturnType<typeof ask> {
    this.#made += 1;
    const params = [`0x${"0".repeat(40)}`, `0x${this.#made.toString(16)}`];
    const call = { jsonrpc: "2.0", id: 1, method: "eth_getTransactionCount", params };
    const port = this.#gateways[this.#made % this.#gateways.length]?.port ?? 0;
    const answer = await ask(port, {
      target: `/node/v3/${key}`,
      body: JSON.stringify(call),
    });
    if (answer.status === 200) this.served += PRICE;
    return answer;
  }

  async during(
    of: Customer,
    { seconds, callsASecond }: { readonly seconds: number; readonly callsASecond: number },
  ): Promise<ReadonlyMap<number, number>> {
    const statuses = new Map<number, number>();
    const begun = performance.now();
    const all: Promise<void>[] = [];
    for (let made = 0; made < seconds * callsASecond; made += 1) {
      await setTimeout(Math.max(0, begun + (made * 1000) / callsASecond - performance.now()));
      all.push(
        this.make(of).then(({ status }) => {
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }),
      );
    }
    await Promise.all(all);
    return statuses;
  }

  async untilServed(of: Customer): Promise<number> {
    const begun = performance.now();
    while ((await this.make(of)).status !== 200) await setTimeout(20);
    return performance.now() - begun;
  }

  /** What is used, as soon as it is what was served. */
  async untilAllIsBack(usedNow: () => Promise<number>): Promise<number> {
    const begun = performance.now();
    for (;;) {
      const used = await usedNow();
      if (used === this.served || performance.now() - begun > AGAIN_WITHIN_MS) return used;
      await setTimeout(200);
    }
  }
}
