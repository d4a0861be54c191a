import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { changesOf } from "./compare.ts";
import { Dashboard } from "./dashboard.ts";
import type { CallPath, Dashboards } from "./dashboards.ts";
import { dashboardsTable } from "./report.ts";

const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function found(openShare: number, own: Partial<Dashboards> = {}): Dashboards {
  const path = { cpuUsPerCall: 20, callsPerSecond: 30_000, p50Ms: 0.05, p99Ms: 0.2 };
  const closed: CallPath = { ...path, quietShare: 0.04, consoleShare: 0.001 };
  const open: CallPath = { ...path, quietShare: openShare, p99Ms: 0.3, consoleShare: 0.125 };
  const seen = { events: 300, answers: 600, faults: { count: 0, first: null } };
  const addedShare = openShare - 0.04;
  return { dashboards: 10, closed, open, ratio: 1, addedShare, ...seen, ...own };
}

describe("dashboards", () => {
  test("what they cost is met or missed, and shown beside the saved run's", () => {
    expect(dashboardsTable(found(0.05)).split("\n")).toEqual([
      "dashboards     CPU us/call  calls/s  p50 ms  p99 ms  quiet, % of a core  console, % of a core",
      "closed                20.0    30000   0.050   0.200                 4.0                   0.1",
      "open, 10              20.0    30000   0.050   0.300                 5.0                  12.5",
      "open / closed         1.00     1.00    1.00    1.50",
      "a quiet gateway takes 1.0 % of a core more for them   <= 2.0 % met",
      "300 events and 600 answers came to them",
      "",
    ]);
    expect(dashboardsTable(found(0.08))).toContain("<= 2.0 % missed");
    const faults = { count: 2, first: "/live: the stream ended" };
    expect(dashboardsTable(found(0.04, { faults }))).toContain("2 faults: /live: the stream ended");
    const now = { rows: [], dashboards: found(0.04, { ratio: 1.1 }) };
    expect(changesOf(now, { rows: [], dashboards: found(0.04) })).toMatch(
      /dashboards, open \/ closed +1\.00 -> 1\.10 {2}\+10\.0 %/,
    );
    expect(changesOf(now, { rows: [] })).toBe("");
  });

  test("a page that loses its stream, or is refused an answer, tells so; one that is closed does not", async () => {
    const streams: (() => void)[] = [];
    const origin = await listening(
      createServer(({ url }, response) => {
        if (url?.endsWith("/live") !== true) return response.end("{}");
        streams.push(() => response.end());
        return response.write("retry: 1000\n\nevent: usage\ndata: {}\n\n");
      }),
    );
    const session = { origin, cookie: "", account: "acc_1", isOperator: false };
    const kept = new Dashboard(session);
    await kept.open();
    expect(kept.close()).toMatchObject({ events: 1, faults: { count: 0, first: null } });

    const lost = new Dashboard(session);
    await lost.open();
    streams.pop()?.();
    await expect.poll(() => lost.seen.faults.count).toBe(1);
    expect(lost.close().faults.first).toMatch(/live: .*the stream ended/);

    const refused = new Dashboard({ ...session, origin: await listening(refusing()) });
    await refused.open();
    const { faults } = refused.close();
    expect(faults.count).toBeGreaterThan(7);
    expect(faults.first).toContain("401");
  });
});

function refusing(): Server {
  return createServer((_, response) => response.writeHead(401).end("no"));
}

async function listening(server: Server): Promise<string> {
  ends.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
