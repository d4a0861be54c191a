import chromium from "@sparticuz/chromium";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  chromium as playwright,
} from "playwright-core";

/** One person's browser: cookies of its own, and one page. */
export type Visitor = {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The console's errors and warnings of this kind are meant: the test makes something go wrong. */
  readonly allow: (fault: RegExp) => void;
  /** Console errors and warnings, exceptions, and requests that left the machine. */
  readonly faults: () => readonly string[];
  /** Opens a path of the dashboard. */
  readonly open: (path: string) => Promise<void>;
};

export type TestBrowser = {
  readonly visit: (options: VisitOptions) => Promise<Visitor>;
  /** Ends the visits and returns the faults of all of them. */
  readonly leave: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
};

export type VisitOptions = {
  /** Of the dashboard. */
  readonly origin: string;
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: "light" | "dark";
  readonly timezoneId?: string;
};

/** It would let pages do what browsers forbid, and keep all of them in one process. */
const LEFT_OUT: readonly string[] = ["--disable-web-security", "--single-process", "--no-zygote"];
/** Nothing but this machine: names of others are not even looked up. */
const OWN = [
  ...["--disable-background-networking", "--disable-component-update", "--no-first-run"],
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
];
const WAIT_MS = 15_000;
const DESKTOP = { width: 1280, height: 800 } as const;

/** A real browser; on a small machine one is enough. */
export async function openBrowser(): Promise<TestBrowser> {
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [...chromium.args.filter((arg) => !LEFT_OUT.includes(arg)), ...OWN],
  });
  const visitors: Visitor[] = [];
  const leave = async () => {
    const left = visitors.splice(0);
    await Promise.all(left.map(({ context }) => context.close()));
    return left.flatMap(({ faults }) => faults());
  };
  return {
    visit: async (options) => {
      const visitor = await visit(browser, options);
      visitors.push(visitor);
      return visitor;
    },
    leave,
    close: async () => {
      await leave();
      await browser.close();
    },
  };
}

async function visit(browser: Browser, options: VisitOptions): Promise<Visitor> {
  const context = await browser.newContext(contextOptions(options));
  context.setDefaultTimeout(WAIT_MS);
  const found: string[] = [];
  const allowed: RegExp[] = [];
  context.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    // Told with its address below.
    if (message.text().startsWith("Failed to load resource")) return;
    found.push(`${message.type()} at ${pathOf(message.page())}: ${message.text()}`);
  });
  context.on("weberror", (thrown) =>
    found.push(`exception at ${pathOf(thrown.page())}: ${thrown.error().stack}`),
  );
  context.on("response", (response) => {
    if (response.status() < 400) return;
    const request = response.request();
    found.push(`status of ${response.status()}: ${request.method()} ${request.url()}`);
  });
  context.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    const stays = protocol === "data:" || protocol === "blob:" || hostname === "localhost";
    if (!stays) found.push(`request to ${request.url()}`);
  });
  const page = await context.newPage();
  return {
    ...{ page, context },
    allow: (fault) => void allowed.push(fault),
    faults: () => found.filter((fault) => !allowed.some((pattern) => pattern.test(fault))),
    open: async (path) => {
      await page.goto(options.origin + path);
    },
  };
}

let visits = 0;

function contextOptions(options: VisitOptions): BrowserContextOptions {
  const { width = DESKTOP.width, height = DESKTOP.height } = options;
  const { colorScheme = "light", timezoneId = "Europe/Berlin" } = options;
  visits += 1;
  return {
    ...{ viewport: { width, height }, colorScheme, timezoneId },
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
    // The dashboard of the tests trusts it: attempts are counted for each visitor alone.
    extraHTTPHeaders: { "x-forwarded-for": `10.1.${visits >> 8}.${visits & 255}` },
  };
}

function pathOf(page: Page | null): string {
  return page === null ? "?" : (URL.parse(page.url())?.pathname ?? page.url());
}
