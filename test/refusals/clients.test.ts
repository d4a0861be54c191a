import { expect, test } from "vitest";
import { ask } from "../http/ask.ts";
import { sendByEthers, sendByViem } from "../outside/refused-calls.ts";
import { type Grant, type Rig, startRig } from "./rig.ts";
import { CALL_ROWS, CHAIN_ID, type Sent, WHOLE_ROWS } from "./rows.ts";

/** Ten seconds before midnight: ethers reads Retry-After as milliseconds, and waits as long. */
const LATE_MS = Date.UTC(2026, 10, 21, 23, 59, 50);

type Case = {
  readonly name: string;
  readonly status: number;
  readonly error: { readonly code: number; readonly message: string; readonly details?: string };
  readonly grant: Grant;
  readonly spent: readonly Sent[];
  readonly refused: Sent;
  readonly prepare?: ((rig: Rig) => () => void) | undefined;
};

const whole = WHOLE_ROWS.filter(({ name }) => /revoked|suspended|network/.test(name));
const CASES = [
  ...whole.map((row) => ({ ...row, spent: [], refused: CHAIN_ID })),
  ...CALL_ROWS.map((row) => ({ spent: [], ...row })),
] as unknown as readonly Case[];
const PER_CALL = CASES.slice(whole.length);

/** `atEnd`: of the test itself, since many run at once. */
async function start({ grant, spent, prepare }: Case, atEnd: (run: () => void) => void) {
  const rig = await startRig({}, LATE_MS);
  atEnd(() => rig.stop());
  const { port, admin } = rig.gateway;
  const { key } = await rig.grant(grant);
  for (const call of spent) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...call });
    expect((await ask(port, { target: `/net/v3/${key}`, body })).status).toBe(200);
  }
  const undo = prepare?.(rig);
  // Runs before the rig's stop, which gives credits back.
  atEnd(() => undo?.());
  return {
    http: `http://127.0.0.1:${port}/net/v3/${key}`,
    ws: `ws://127.0.0.1:${port}/net/ws/v3/${key}`,
    /** Calls, requests and upgrades that were refused. */
    refusals: async () => {
      const text = await (await admin("/metrics")).text();
      const lines = text.matchAll(/^tollgate_(?:calls|refusals)_total\{([^}]*)\} (\d+)$/gm);
      const counts = [...lines].map(([, labels, n]) => (labels?.includes('"ok"') ? 0 : Number(n)));
      return counts.reduce((sum, each) => sum + each, 0);
    },
  };
}

/** viem asks four times in all. */
const viemAsks = ({ status }: Case) => (status === 429 || status === 503 ? 4 : 1);

test.concurrent.for(CASES)(
  "viem over HTTP, $name: an error with the code and message",
  async (row, { onTestFinished }) => {
    const { http, refusals } = await start(row, onTestFinished);
    const { error, code, text } = await sendByViem(http, row.refused);
    const name = row.error.code === -32603 ? "InternalRpcError" : "RpcRequestError";
    expect({ error, code }).toEqual({ error: name, code: row.error.code });
    expect(text).toContain(`Details: ${row.error.message}\n`);
    expect(await refusals()).toBe(viemAsks(row));
  },
);

test.concurrent.for(PER_CALL)(
  "viem over WebSocket, $name: the same",
  async (row, { onTestFinished }) => {
    const { ws, refusals } = await start(row, onTestFinished);
    const { error, code, text } = await sendByViem(ws, row.refused);
    const name = row.error.code === -32603 ? "InternalRpcError" : "RpcRequestError";
    expect({ error, code }).toEqual({ error: name, code: row.error.code });
    expect(text).toContain(`Details: ${row.error.message}\n`);
    expect(await refusals()).toBe(viemAsks(row));
  },
);

test.concurrent.for(CASES)(
  "ethers over HTTP, $name: SERVER_ERROR with status and body",
  async (row, { onTestFinished }) => {
    const { http, refusals } = await start(row, onTestFinished);
    const { error, code, text } = await sendByEthers(http, row.refused);
    const limited = row.status === 429;
    expect({ error, code }).toEqual({ error: "SERVER_ERROR", code: limited ? 599 : row.status });
    expect(text).toContain(row.error.details ?? row.error.message);
    expect(text).toContain(
      limited ? "exceeded maximum retry limit" : `server response ${row.status}`,
    );
    expect(await refusals()).toBe(limited ? 12 : 1);
  },
);

test.concurrent.for(PER_CALL)(
  "ethers over WebSocket, $name: the error object, once",
  async (row, { onTestFinished }) => {
    const { ws, refusals } = await start(row, onTestFinished);
    const { error, code, text } = await sendByEthers(ws, row.refused);
    // ethers takes whatever befalls an eth_call for a revert that gives no data.
    const name = row.refused.method === "eth_call" ? "CALL_EXCEPTION" : "UNKNOWN_ERROR";
    expect({ error, code }).toEqual({ error: name, code: row.error.code });
    expect(text).toContain(row.error.details ?? row.error.message);
    expect(await refusals()).toBe(1);
  },
);

test.concurrent.for(CASES.slice(0, whole.length))(
  "an upgrade, $name: neither is told why",
  async (row, { onTestFinished }) => {
    const { ws } = await start(row, onTestFinished);
    expect(await sendByEthers(ws, row.refused)).toEqual({
      error: "of the socket",
      code: undefined,
      text: `Unexpected server response: ${row.status}`,
    });
    expect(await sendByViem(ws, row.refused)).toMatchObject({ error: "UnknownRpcError", code: -1 });
  },
);
