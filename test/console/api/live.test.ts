import { afterEach, describe, expect, test, vi } from "vitest";
import type { LiveUsage } from "../../../src/console/contract/usage.ts";
import type { Storage } from "../../../src/storage/store.ts";
import { latenciesAt } from "../../support/latencies-at.ts";
import { openRig, openTestStorage, type Person, type Rig, textOf } from "./support.ts";

type SeenEvent = { readonly event: string; readonly data: unknown };

/** An open page: the events that came to it so far. */
type Page = {
  readonly events: SeenEvent[];
  readonly text: () => string;
  readonly ended: Promise<void>;
  readonly close: () => void;
};

async function openPage(origin: string, person: Person, url: string): Promise<Page> {
  const ending = new AbortController();
  const reply = await fetch(origin + url, {
    headers: { cookie: person.cookie },
    signal: ending.signal,
  });
  if (reply.status !== 200 || reply.body === null) {
    throw new Error(`${reply.status} ${await reply.text()}`);
  }
  expect(reply.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const events: SeenEvent[] = [];
  let text = "";
  const read = async (): Promise<void> => {
    for await (const chunk of textOf(reply)) {
      text += chunk;
      for (const [, event = "", data = ""] of chunk.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)) {
        events.push({ event, data: JSON.parse(data) });
      }
    }
  };
  const ended = read().catch(() => undefined);
  return { events, text: () => text, ended, close: () => ending.abort() };
}

async function listen(rig: Rig): Promise<string> {
  return rig.app.listen({ host: "127.0.0.1", port: 0 });
}

/** Counts the looks, each of which reads the ledger twice at most. */
function counted(storage: Storage): { storage: Storage; looks: () => number } {
  let reads = 0;
  const read: Storage["ledger"]["read"] = (owner, day) => {
    reads += 1;
    return storage.ledger.read(owner, day);
  };
  return { storage: { ...storage, ledger: { ...storage.ledger, read } }, looks: () => reads };
}

const bucketOf = (rig: Rig, accountId: string, calls: number) => ({
  ...{ minute: Math.floor(rig.parts.clock.now() / 60_000), accountId, keyId: "key_a" },
  ...{ network: "mainnet", method: "eth_call", outcome: "ok", calls },
  ...{ credits: calls * 80, bytes: 1, latencyMs: 1, latencies: latenciesAt(1, calls) },
});

const callsOf = ({ data }: SeenEvent): number | undefined => (data as LiveUsage).recent[0]?.calls;

afterEach(() => vi.useRealTimers());

describe("live usage", () => {
  test("comes at once, then within two seconds of a call; two looks a second serve all pages of an account", async () => {
    const { storage, looks } = counted(await openTestStorage("memory"));
    const rig = await openRig({ storage });
    const account = await rig.account("ada@example.com");
    const ada = rig.person(account.email);
    const origin = await listen(rig);
    const url = `/api/accounts/${account.id}/live`;
    const pages = await Promise.all([1, 2, 3, 4, 5].map(() => openPage(origin, ada, url)));
    await vi.waitFor(
      () => expect(pages.every(({ events }) => events.length === 1)).toBe(true),
      500,
    );
    expect(pages[0]?.text()).toMatch(/^retry: 1000\n\n/);
    const before = looks();
    const since = performance.now();
    await rig.storage.usage.record([bucketOf(rig, account.id, 3)], []);
    await vi.waitFor(
      () => expect(pages.map(({ events }) => events.map(callsOf).at(-1))).toEqual([3, 3, 3, 3, 3]),
      2000,
    );
    const seconds = (performance.now() - since) / 1000;
    expect(looks() - before).toBeLessThanOrEqual(2 * Math.ceil(seconds) + 1);
    // Nothing changes any more: nothing is sent, though looks go on.
    const sent = pages.map(({ events }) => events.length);
    await vi.waitFor(() => expect(looks()).toBeGreaterThan(before + 2), 5000);
    expect(pages.map(({ events }) => events.length)).toEqual(sent);
    for (const page of pages) page.close();
    await vi.waitFor(() => expect(rig.app.server.closeIdleConnections()).toBeUndefined());
    await new Promise((resolve) => setTimeout(resolve, 100));
    const after = looks();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(looks(), "nobody looks, and still the store is read").toBe(after);
    await rig.close();
    await storage.close();
  });

  test("an eleventh page of one person is refused, of another person not, and a closed one makes room", async () => {
    const rig = await openRig();
    const account = await rig.account("ada@example.com");
    await rig.member(account, "bob@example.com");
    const [ada, bob] = [rig.person(account.email), rig.person("bob@example.com")];
    const origin = await listen(rig);
    const url = `/api/accounts/${account.id}/live`;
    const pages = await Promise.all(Array.from({ length: 10 }, () => openPage(origin, ada, url)));
    await expect(openPage(origin, ada, url)).rejects.toThrow(/^429 .*too_many/);
    await openPage(origin, bob, url);
    pages[0]?.close();
    await vi.waitFor(() => openPage(origin, ada, url));
    await rig.close();
  });

  test.each(["session", "membership"])(
    "ends within half a minute of the end of the %s",
    async (what) => {
      vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
      const rig = await openRig();
      const account = await rig.account("ada@example.com");
      const member = await rig.member(account, "bob@example.com");
      const bob = rig.person("bob@example.com");
      const origin = await listen(rig);
      const page = await openPage(origin, bob, `/api/accounts/${account.id}/live`);
      await vi.advanceTimersByTimeAsync(60_000);
      await vi.waitFor(() => expect(page.text().match(/^: still here$/gm)).toHaveLength(4));
      if (what === "session") rig.signOut(bob);
      else await rig.storage.members.remove(account.id, member);
      await vi.advanceTimersByTimeAsync(30_000);
      await page.ended;
      await expect(openPage(origin, bob, `/api/accounts/${account.id}/live`)).rejects.toThrow(
        /^40[134] /,
      );
      await rig.close();
    },
  );

  test("a look that fails is made again, and the page stays open", async () => {
    const storage = await openTestStorage("memory");
    let fails = true;
    const findById: Storage["accounts"]["findById"] = (id) => storage.accounts.findById(id);
    const totals: Storage["usage"]["totals"] = (query) =>
      fails ? Promise.reject(new Error("locked")) : storage.usage.totals(query);
    const rig = await openRig({
      storage: {
        ...storage,
        accounts: { ...storage.accounts, findById },
        usage: { ...storage.usage, totals },
      },
    });
    const account = await rig.account("ada@example.com");
    const origin = await listen(rig);
    const page = await openPage(
      origin,
      rig.person(account.email),
      `/api/accounts/${account.id}/live`,
    );
    await vi.waitFor(() => expect(rig.log()).toContain("live numbers cannot be read"));
    expect(page.events).toEqual([]);
    fails = false;
    await vi.waitFor(() => expect(page.events).toHaveLength(1), 2000);
    await rig.close();
    await storage.close();
  });

  test("the server's end is not kept waiting by open pages", async () => {
    const rig = await openRig();
    const account = await rig.account("ada@example.com");
    const origin = await listen(rig);
    const page = await openPage(
      origin,
      rig.person(account.email),
      `/api/accounts/${account.id}/live`,
    );
    const since = performance.now();
    await rig.close();
    await page.ended;
    expect(performance.now() - since).toBeLessThan(1000);
  });
});
