import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { temporaryFolder } from "../../support/written.ts";
import { openRig, type Rig } from "./support.ts";

let rig: Rig;
afterEach(() => rig.close());

const line = (account: string, over: object = {}) =>
  `${JSON.stringify({
    ...{ time: "2026-11-21T12:00:00.000Z", requestId: "req-1", account, keyId: "key_1" },
    ...{ network: "mainnet", method: "eth_call", outcome: "ok", credits: 80 },
    ...{ upstream: "geth-2", durationMs: 1.5, ...over },
  })}\n`;

test("people find the calls of their own requests, operators those of all, with the node", async () => {
  const path = join(temporaryFolder("requests"), "requests.jsonl");
  rig = await openRig({ requestLog: { path, ratio: 0.5 } });
  const [ada, bob] = [await rig.account("ada@example.com"), await rig.account("bob@example.com")];
  await rig.account("operator@example.com", { operator: true });
  writeFileSync(path, line(ada.id) + line(bob.id, { method: "eth_getLogs" }) + line("acc_gone"));
  const own = await rig.person(ada.email).get(`/api/accounts/${ada.id}/requests?id=req-1`);
  expect(own.json()).toEqual({
    items: [
      {
        ...{ time: "2026-11-21T12:00:00.000Z", requestId: "req-1", keyId: "key_1" },
        ...{ network: "mainnet", method: "eth_call", outcome: "ok", credits: 80, durationMs: 1.5 },
      },
    ],
    ...{ isWhole: true, ratio: 0.5 },
  });
  const all = await rig.person("operator@example.com").get("/api/operator/requests?id=req-1");
  const of = ({ email, method, upstream }: Record<string, unknown>) => [email, method, upstream];
  expect(all.json().items.map(of)).toEqual([
    [null, "eth_call", "geth-2"],
    ["bob@example.com", "eth_getLogs", "geth-2"],
    ["ada@example.com", "eth_call", "geth-2"],
  ]);
  const none = await rig.person(ada.email).get(`/api/accounts/${ada.id}/requests?id=req-2`);
  expect(none.json()).toEqual({ items: [], isWhole: true, ratio: 0.5 });
});

test("without a log, or where it is standard output, pages do not offer it, and the API says why", async () => {
  for (const requestLog of [null, { path: "-" }]) {
    rig = await openRig({ requestLog });
    const ada = await rig.account("ada@example.com");
    const reply = await rig.person(ada.email).get(`/api/accounts/${ada.id}/requests?id=req-1`);
    expect(reply.statusCode).toBe(409);
    expect(reply.json().error.message).toBe(
      "there is no request log to search: requestLog.path names no file",
    );
    expect((await rig.nobody.get("/api/config")).json().requestLog).toBe(false);
    await rig.close();
  }
  rig = await openRig({ requestLog: { path: "requests.jsonl" } });
  expect((await rig.nobody.get("/api/config")).json().requestLog).toBe(true);
});
