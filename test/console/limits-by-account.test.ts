import { randomInt } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Reply } from "./support/browser.ts";
import { PASSWORD, startTestConsole, type TestConsole } from "./support/test-console.ts";

const ADDRESSES = 60;
const TRIED = 5;

let desk: TestConsole;
beforeAll(async () => {
  desk = await startTestConsole({ console: { signup: "open" } });
});
afterAll(() => desk.stop());

const signIn = (browser: Browser, email: string, password: string): Promise<Reply> =>
  browser.post("/api/auth/sign-in/email", { email, password });

/** Wrong passwords, each from an address of its own, at once. */
const guesses = (email: string, addresses: number): Promise<Reply[]> =>
  Promise.all(
    Array.from({ length: addresses }, () =>
      signIn(desk.browser(), email, `wrong ${randomInt(1_000_000)}`),
    ),
  );

test("of 60 wrong passwords from 60 addresses five are tried, whether or not the e-mail is known", async () => {
  await desk.signUp("known@example.com");
  for (const email of ["known@example.com", "nobody@example.com"]) {
    const begunMs = performance.now();
    const answers = await guesses(email, ADDRESSES);
    const seconds = Math.floor((performance.now() - begunMs) / 1000);
    const tried = answers.filter(({ status }) => status === 401).length;
    // Another one a second later, and so on: a busy machine takes longer for all of them.
    expect(tried).toBeGreaterThanOrEqual(TRIED);
    expect(tried).toBeLessThanOrEqual(TRIED + seconds);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(ADDRESSES - tried);
    const [refused] = answers.filter(({ status }) => status === 429);
    expect(refused?.json).toMatchObject({ code: "TOO_MANY_ATTEMPTS", error: { code: "too_many" } });
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  }
});

test("who guesses keeps the owner out of no browser that was used before", async () => {
  const email = "owner@example.com";
  await desk.signUp(email);
  const own = desk.browser();
  expect((await signIn(own, email, PASSWORD)).status).toBe(200);
  await own.post("/api/auth/sign-out");
  await guesses(email, TRIED);
  expect((await signIn(desk.browser(), email, PASSWORD)).status).toBe(429);
  own.address = desk.browser().address;
  expect((await signIn(own, email, PASSWORD)).status).toBe(200);
  // It has a count of its own, and none without an end.
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 6; attempt += 1) {
    statuses.push((await signIn(own, email, "wrong word")).status);
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  // It is known with the one e-mail alone.
  expect((await signIn(own, "nobody-else@example.com", PASSWORD)).status).toBe(401);
});

test("one mailbox gets five mails an hour, whoever asks for them and however, in one answer for all", async () => {
  const email = "flooded@example.com";
  await desk.signUp(email);
  const ask = (path: string, to: string) =>
    desk.browser().post(`/api/auth/${path}`, {
      ...{ email: to, name: "x", password: PASSWORD, callbackURL: "/" },
    });
  const paths = ["sign-in/magic-link", "request-password-reset", "sign-up/email"];
  const answers = new Set<string>();
  for (let round = 0; round < 7; round += 1) {
    for (const path of paths) {
      const { status } = await ask(path, round % 2 === 0 ? email : email.toUpperCase());
      answers.add(`${path} ${status}`);
    }
  }
  expect([...answers].sort()).toEqual(paths.map((path) => `${path} 200`).sort());
  await expect.poll(() => desk.log().match(/"msg":"mail was not sent"/g)?.length).toBe(17);
  const mails = desk.mailbox.mails.filter(({ to }) => to.toLowerCase() === email);
  expect(mails).toHaveLength(5);
  const other = await desk.signUp("another@example.com");
  expect((await other.get("/api/me")).status).toBe(200);
});
