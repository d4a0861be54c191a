import { Pool } from "undici";
import { codeOf } from "./hostile-clients.ts";

export type GoodCalls = { readonly count: number; readonly p50Ms: number; readonly p99Ms: number };

/**
 * Sends calls from four connections for as long as `busy` says, each call of its own, and says how
 * long they took. @throws where a call gets no answer, or another's
 */
export async function callMeanwhile(
  target: { readonly port: number; readonly path: string },
  busy: () => boolean,
): Promise<GoodCalls> {
  const pool = new Pool(`http://127.0.0.1:${target.port}`, { connections: 4 });
  const latencies: number[] = [];
  const caller = async (name: number): Promise<void> => {
    for (let turn = 0; busy(); turn += 1) {
      const address = ((name * 50 + (turn % 50)) % 200).toString(16).padStart(2, "0");
      const begun = performance.now();
      const { statusCode, body } = await pool.request({
        method: "POST",
        path: target.path,
        body: codeOf(address),
      });
      const { result } = (await body.json()) as { result: string };
      latencies.push(performance.now() - begun);
      if (statusCode !== 200 || result !== `0x${address}`) {
        throw new Error(`${address} was answered with ${statusCode} ${result}`);
      }
    }
  };
  await Promise.all([0, 1, 2, 3].map(caller)).finally(() => pool.close());
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return { count: latencies.length, p50Ms: at(0.5), p99Ms: at(0.99) };
}

export function describeCalls({ count, p50Ms, p99Ms }: GoodCalls): string {
  return `${count} calls, p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`;
}
