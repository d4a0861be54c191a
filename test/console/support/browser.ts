import { randomInt } from "node:crypto";

export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, read as JSON; undefined where it is none. */
  readonly json: unknown;
};

type Ask = {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** As much of a browser as sessions need: cookies, the Origin header, an address of its own. */
export class Browser {
  readonly cookies = new Map<string, string>();
  /** What it says it is forwarded for: the tests' consoles trust 127.0.0.1. */
  address = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
  readonly #origin: string;
  readonly #connectTo: string;

  /** `origin`: the public one; `connectTo`: where the server really is. */
  constructor(origin: string, connectTo: string) {
    this.#origin = origin;
    this.#connectTo = connectTo;
  }

  get(path: string, ask: Ask = {}): Promise<Reply> {
    return this.request("GET", path, ask);
  }

  post(path: string, body: unknown = {}, ask: Ask = {}): Promise<Reply> {
    return this.request("POST", path, { ...ask, body });
  }

  /** `path`: or a whole address of the console, as links in mail have it. Follows no redirect. */
  async request(method: string, path: string, { body, headers = {} }: Ask): Promise<Reply> {
    const target = path.replace(this.#origin, "");
    const response = await fetch(this.#connectTo + target, {
      method,
      redirect: "manual",
      headers: {
        "x-forwarded-for": this.address,
        ...(this.cookies.size > 0 && { cookie: this.cookieHeader }),
        ...(method !== "GET" && { origin: this.#origin, "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text) };
  }

  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #keep(cookie: string): void {
    const [pair = "", ...attributes] = cookie.split("; ");
    const name = pair.slice(0, pair.indexOf("="));
    if (attributes.some((each) => /^max-age=0$/i.test(each))) this.cookies.delete(name);
    else this.cookies.set(name, pair.slice(pair.indexOf("=") + 1));
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
