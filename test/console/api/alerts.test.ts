import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AlertJob, type AlertParts } from "../../../src/console/alerts/alert-job.ts";
import type { AlertMessage } from "../../../src/console/alerts/alert-message.ts";
import type { Delivery } from "../../../src/console/contract/alerts.ts";
import { dayOf } from "../../../src/lib/day.ts";
import { openStorage } from "../../../src/storage/open.ts";
import type { Account } from "../../../src/storage/store.ts";
import { takeRequest } from "../../support/ledger-contract.ts";
import { testStorage } from "../../support/test-storage.ts";
import { temporaryFolder } from "../../support/written.ts";
import {
  type LocalServer,
  openRig,
  type Rig,
  type RigOptions,
  STORES,
  startServer,
} from "./support.ts";

type Received = { readonly headers: IncomingHttpHeaders; readonly body: string };

/** A webhook's receiver, and what came to it. */
let receiver: LocalServer;
let received: Received[] = [];
/** What it answers, in turn; then 204. */
let statuses: number[] = [];
const ending: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  received = [];
  statuses = [];
  receiver = await startServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk;
    });
    request.on("end", () => {
      received.push({ headers: request.headers, body });
      response.writeHead(statuses.shift() ?? 204, { location: `${receiver.url}/elsewhere` }).end();
    });
  });
  ending.push(receiver.stop);
});
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

type Scene = {
  readonly rig: Rig;
  readonly account: Account;
  readonly job: AlertJob;
  readonly secret: string;
};

const jobOf = (rig: Rig, over: Partial<AlertParts> = {}): AlertJob =>
  new AlertJob({ ...rig.parts, ...over });

/** An account of 1000 credits per day that tells one mailbox and one webhook. */
async function scene(options: RigOptions = {}): Promise<Scene> {
  const rig = await openRig({ console: { privateWebhooks: true }, ...options });
  ending.push(rig.close);
  const limits = { creditsPerDay: 1000, creditsPerSecond: null };
  const account = await rig.account("ada@example.com", { limits });
  const reply = await rig.person(account.email).ask("PUT", `/api/accounts/${account.id}/alerts`, {
    body: {
      thresholds: [75, 85, 100],
      emails: ["ops@example.com"],
      webhook: { url: `${receiver.url}/hook` },
    },
  });
  expect(reply.statusCode, reply.body).toBe(200);
  return { rig, account, job: jobOf(rig), secret: reply.json().secret };
}

async function spend({ rig, account }: Pick<Scene, "rig" | "account">, credits: number) {
  const now = rig.parts.clock.now();
  const figures = { pool: null, want: credits, least: credits, limit: 1000, perSecond: 1e9 };
  await rig.storage.ledger.take({
    owner: account.id,
    day: dayOf(now),
    process: "p",
    number: takeRequest().number,
    now,
    ...figures,
  });
}

async function deliveries({ rig, account }: Pick<Scene, "rig" | "account">): Promise<Delivery[]> {
  const url = `/api/accounts/${account.id}/alerts/deliveries`;
  return (await rig.person(account.email).get(url)).json().items;
}

const round = async (job: AlertJob): Promise<void> => {
  await job.look();
  await job.deliver();
};

const messages = (): AlertMessage[] => received.map(({ body }) => JSON.parse(body) as AlertMessage);

/** As a receiver's library does it. */
function isSigned({ headers, body }: Received, secret: string): boolean {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": given } = headers;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return given === `v1,${expected}`;
}

describe.each(STORES)("with %s storage", (store) => {
  test("each threshold is told once a day, by mail and by a webhook that its receiver can verify", async () => {
    const { rig, account, job, secret } = await scene({ store });
    await spend({ rig, account }, 740);
    await round(job);
    expect([rig.mails, received]).toEqual([[], []]);
    await spend({ rig, account }, 10);
    await round(job);
    await round(job);
    expect(rig.mails.map(({ to, subject }) => [to, subject])).toEqual([
      ["ops@example.com", expect.stringContaining("75 %")],
    ]);
    expect(messages()).toEqual([
      {
        type: "usage.threshold",
        timestamp: new Date(rig.parts.clock.now()).toISOString(),
        data: {
          ...{ account: account.id, email: "ada@example.com", day: "2026-11-21" },
          ...{ threshold: 75, used: 750, limit: 1000, left: 250 },
        },
      },
    ]);
    const [one] = received;
    if (one === undefined) throw new Error("nothing was received");
    expect(isSigned(one, secret)).toBe(true);
    expect(isSigned({ ...one, body: one.body.replace("750", "751") }, secret)).toBe(false);
    expect(one.headers["content-type"]).toBe("application/json");
    expect(Number(one.headers["webhook-timestamp"])).toBe(Math.floor(rig.parts.clock.now() / 1000));
    // From 75 to all of it at once: both others are told.
    await spend({ rig, account }, 250);
    await round(job);
    expect(
      messages()
        .map(({ data }) => data.threshold)
        .sort(),
    ).toEqual([100, 75, 85]);
    // A new day, a new balance.
    rig.wait(86_400_000);
    await round(job);
    expect(received).toHaveLength(3);
    await spend({ rig, account }, 800);
    await round(job);
    expect(messages().at(-1)?.data).toMatchObject({ day: "2026-11-22", threshold: 75, used: 800 });
  });

  test("what does not arrive is tried again after 5 s, 30 s, 2 min, 10 min, 1 h and 6 h, each time as the same message", async () => {
    const { rig, account, job } = await scene({ store, mail: "fails" });
    statuses = [500, 500, 429, 302, 404, 503, 500];
    await spend({ rig, account }, 750);
    await round(job);
    const waits = [5, 30, 120, 600, 3600, 21_600];
    for (const [place, seconds] of waits.entries()) {
      expect(received).toHaveLength(place + 1);
      rig.wait(seconds * 1000 - 1);
      await job.deliver();
      expect(received, `sooner than ${seconds} s`).toHaveLength(place + 1);
      rig.wait(1);
      await job.deliver();
    }
    rig.wait(86_400_000 * 2);
    await job.deliver();
    expect(received).toHaveLength(7);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    const settled = await deliveries({ rig, account });
    expect(
      settled.map(({ to, state, attempts, lastError }) => [to, state, attempts, lastError]),
    ).toEqual(
      expect.arrayContaining([
        ["webhook", "failed", 7, "the receiver answered with status 500"],
        ["email", "failed", 7, "the mail server cannot be reached"],
      ]),
    );
  });

  test("a redirect is not followed, and says why the message did not arrive", async () => {
    const { rig, account, job } = await scene({ store });
    statuses = [307];
    await spend({ rig, account }, 750);
    await round(job);
    expect(received).toHaveLength(1);
    const [webhook] = (await deliveries({ rig, account })).filter(({ to }) => to === "webhook");
    expect(webhook).toMatchObject({
      state: "pending",
      attempts: 1,
      target: new URL(receiver.url).host,
    });
    expect(webhook?.lastError).toBe(
      "the receiver answered with status 307; redirects are not followed",
    );
  });

  test("a webhook that was changed meanwhile does not get what was meant for the one before", async () => {
    const { rig, account, job } = await scene({ store });
    await spend({ rig, account }, 750);
    await job.look();
    await rig.person(account.email).ask("PUT", `/api/accounts/${account.id}/alerts`, {
      body: { thresholds: [75], emails: [], webhook: { url: `${receiver.url}/other` } },
    });
    await job.deliver();
    expect(received).toEqual([]);
    expect(await deliveries({ rig, account })).toContainEqual(
      expect.objectContaining({ to: "webhook", lastError: "the webhook was changed meanwhile" }),
    );
  });
});

test("a console that ends between the alert and its sending, or in it, loses none and repeats none that arrived", async () => {
  const settings = await testStorage(`sqlite:${join(temporaryFolder("alerts"), "t.db")}`);
  const first = await openStorage(settings);
  const { rig, account, job } = await scene({ storage: first });
  await spend({ rig, account }, 750);
  await job.look();
  // Taken by a console that dies with them.
  const held = { now: rig.parts.clock.now(), limit: 10, holdMs: 60_000 };
  expect(await first.alerts.due(held)).toHaveLength(2);
  await first.close();
  const second = await openStorage(settings);
  ending.push(second.close);
  const next = jobOf(rig, { storage: second });
  await round(next);
  expect(received, "they may still be on their way").toEqual([]);
  rig.wait(60_000);
  await round(next);
  expect([received.length, rig.mails.length]).toEqual([1, 1]);
  rig.wait(600_000);
  await round(next);
  expect([received.length, rig.mails.length]).toEqual([1, 1]);
});

test("two consoles on one store send one message of each threshold", async () => {
  const settings = await testStorage(`sqlite:${join(temporaryFolder("alerts"), "t.db")}`);
  const stores = await Promise.all([openStorage(settings), openStorage(settings)]);
  for (const store of stores) ending.push(store.close);
  const [storage, otherStorage] = stores;
  if (storage === undefined || otherStorage === undefined) throw new Error("no storage");
  const { rig, account } = await scene({ storage });
  const jobs = [jobOf(rig), jobOf(rig, { storage: otherStorage })];
  await spend({ rig, account }, 1000);
  for (let turn = 0; turn < 5; turn += 1) {
    await Promise.all(jobs.map(round));
    rig.wait(1000);
  }
  expect(
    messages()
      .map(({ data }) => data.threshold)
      .sort(),
  ).toEqual([100, 75, 85]);
  expect(rig.mails).toHaveLength(3);
});

describe("a webhook into a private network", () => {
  const LOCAL = [{ address: "127.0.0.1", family: 4 as const }];

  test("is refused when it is set, where the URL holds the address", async () => {
    const { rig, account } = await scene({ console: { privateWebhooks: true } });
    const strict = await openRig({ storage: rig.storage });
    ending.push(strict.close);
    const owner = strict.person(account.email);
    const set = (url: string) =>
      owner.ask("PUT", `/api/accounts/${account.id}/alerts`, {
        body: { thresholds: [], emails: [], webhook: { url } },
      });
    for (const host of [
      "127.0.0.1",
      "2130706433",
      "0x7f.1",
      "[::1]",
      "[::ffff:10.0.0.1]",
      "169.254.169.254",
    ]) {
      const reply = await set(`http://${host}:9545/x`);
      expect(reply.statusCode, host).toBe(400);
      expect(reply.json().error).toMatchObject({
        field: "body.webhook.url",
        message: expect.stringContaining("leads into a private network"),
      });
    }
    for (const url of [
      "file:///etc/passwd",
      "x",
      "https://user:pw@x.example",
      "javascript:alert(1)",
    ]) {
      expect((await set(url)).statusCode, url).toBe(400);
    }
    expect((await set("https://hooks.example.com/x")).statusCode).toBe(200);
  });

  test("is refused when it is sent to, where the name leads there; nothing is connected to", async () => {
    const { rig, account } = await scene();
    const { port } = new URL(receiver.url);
    await rig.person(account.email).ask("PUT", `/api/accounts/${account.id}/alerts`, {
      body: { thresholds: [75], emails: [], webhook: { url: `http://inside.example:${port}/` } },
    });
    const strict = { ...rig.parts.console, privateWebhooks: false };
    const both = [{ address: "8.8.8.8", family: 4 }, ...LOCAL];
    const job = jobOf(rig, { console: strict, resolve: async () => both });
    await spend({ rig, account }, 750);
    await round(job);
    expect(received).toEqual([]);
    expect((await deliveries({ rig, account }))[0]?.lastError).toBe(
      "the host leads into a private network, which this gateway sends nothing to",
    );
  });

  test("gets nothing from a name that changes between the look-up and the connection", async () => {
    const { rig, account } = await scene();
    const { port } = new URL(receiver.url);
    await rig.person(account.email).ask("PUT", `/api/accounts/${account.id}/alerts`, {
      body: { thresholds: [75], emails: [], webhook: { url: `http://rebound.example:${port}/` } },
    });
    let asked = 0;
    const resolve = async () => {
      asked += 1;
      return LOCAL;
    };
    // The system knows no such name: had it been asked again, the connection would have failed.
    await spend({ rig, account }, 750);
    await round(jobOf(rig, { resolve }));
    expect([asked, received.length]).toEqual([1, 1]);
    expect(received[0]?.headers.host).toBe(`rebound.example:${port}`);
  });
});

test("the secret is told when a webhook is new or goes elsewhere, and never again", async () => {
  const { rig, account, secret } = await scene();
  expect(secret).toMatch(/^whsec_/);
  const owner = rig.person(account.email);
  const url = `/api/accounts/${account.id}/alerts`;
  const put = (webhook: object | null) =>
    owner.ask("PUT", url, {
      body: { thresholds: [75], emails: ["A@x.example", "a@X.example"], webhook },
    });
  const same = (await put({ url: `${receiver.url}/hook` })).json();
  expect(same).toEqual({
    thresholds: [75],
    emails: ["a@X.example"],
    webhook: { url: `${receiver.url}/hook` },
  });
  expect((await rig.storage.alerts.read(account.id))?.webhook?.secret).toBe(secret);
  expect((await owner.get(url)).body).not.toContain("whsec_");
  const moved = (await put({ url: `${receiver.url}/other` })).json();
  expect(moved.secret).toMatch(/^whsec_/);
  expect(moved.secret).not.toBe(secret);
  expect((await put(null)).json()).toMatchObject({ webhook: null });
});

test("a test is sent at once to all that are set, says what went wrong, and not without end", async () => {
  const { rig, account, secret } = await scene();
  const owner = rig.person(account.email);
  const url = `/api/accounts/${account.id}/alerts/test`;
  statuses = [204, 500];
  expect((await owner.post(url)).json()).toEqual({ email: "sent", webhook: "sent" });
  expect(rig.mails[0]).toMatchObject({
    to: "ops@example.com",
    subject: expect.stringContaining("Test"),
  });
  expect(messages()[0]).toMatchObject({ type: "usage.test", data: { used: 0, limit: 1000 } });
  expect(received[0] && isSigned(received[0], secret)).toBe(true);
  expect((await owner.post(url)).json().webhook).toBe("the receiver answered with status 500");
  for (let turn = 2; turn < 30; turn += 1) await owner.post(url);
  const refused = await owner.post(url);
  expect([refused.statusCode, refused.json().error.code]).toEqual([429, "too_many"]);
  rig.wait(3_600_000);
  expect((await owner.post(url)).statusCode).toBe(200);
});

test("a job that runs looks every five seconds and sends at once; its end waits for what is under way", async () => {
  const { rig, account, job } = await scene();
  await spend({ rig, account }, 1000);
  job.start();
  await expect.poll(() => received.length, { timeout: 8000 }).toBe(3);
  await job.stop();
  expect(rig.log()).not.toMatch(/cannot/);
});
