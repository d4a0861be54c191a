import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import type { Faults } from "./generator.ts";

/** Somebody who is signed in. */
export type Session = {
  readonly origin: string;
  readonly cookie: string;
  /** Of the person's own account. */
  readonly account: string;
  readonly isOperator: boolean;
};

/** What came to a page while it was open. */
export type Seen = {
  readonly events: number;
  readonly answers: number;
  /** Answers that were not 200, streams that were lost, and the text of the first. */
  readonly faults: Faults;
};

/** Calls come all the time, so that each second has its event; one that is silent for so long is lost. */
const SILENT_MS = 5000;
/** Contracts are asked for with each fifth news, as the page does. */
const CONTRACTS_EVERY = 5;

/** Follows a one-time link. Rejects where it does not sign anybody in. */
export async function signIn(link: string): Promise<Session> {
  const { origin } = new URL(link);
  const answer = await responseOf(request(link).end());
  const text = await textOf(answer);
  const cookies = answer.headers["set-cookie"] ?? [];
  const cookie = cookies.map((one) => one.split(";", 1)[0]).join("; ");
  const me = await responseOf(request(`${origin}/api/me`, { headers: { cookie } }).end());
  const known = await textOf(me);
  if (me.statusCode !== 200) throw new Error(`nobody was signed in: ${text}${known}`);
  const { operator, accounts } = JSON.parse(known) as {
    readonly operator: boolean;
    readonly accounts: readonly { readonly id: string }[];
  };
  return { origin, cookie, account: accounts[0]?.id ?? "", isOperator: operator };
}

/**
 * The page `Usage` in somebody's browser, and in an operator's `Networks` besides: it keeps the event
 * streams open, and asks for chart and table again at each news (web/src/pages/usage).
 */
export class Dashboard {
  readonly #session: Session;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #faults: string[] = [];
  #isOpen = true;
  #events = 0;
  #answers = 0;
  #news = 0;
  #isAsking = false;
  #isWanted = false;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Resolves when all of the page is there: answers, and an event of each stream. */
  async open(): Promise<void> {
    const { isOperator } = this.#session;
    const own = ["/balance", "/keys", "/usage/series", "/usage/table", "/usage/contracts"];
    await Promise.all([
      this.#follow(this.#own("/live")),
      ...(isOperator ? [this.#follow("/api/operator/networks/live")] : []),
      ...["/api/me", "/api/networks", ...own.map((path) => this.#own(path))].map((path) =>
        this.#ask(path),
      ),
    ]);
  }

  close(): Seen {
    this.#isOpen = false;
    this.#agent.destroy();
    return this.seen;
  }

  get seen(): Seen {
    const faults = { count: this.#faults.length, first: this.#faults[0] ?? null };
    return { events: this.#events, answers: this.#answers, faults };
  }

  #own(path: string): string {
    return `/api/accounts/${this.#session.account}${path}`;
  }

  #send(path: string): ClientRequest {
    const { origin, cookie } = this.#session;
    const sent = request(origin + path, { agent: this.#agent, headers: { cookie } });
    const silent = new Error(`nothing came for ${SILENT_MS} ms`);
    return sent.setTimeout(SILENT_MS, () => sent.destroy(silent)).end();
  }

  async #ask(path: string): Promise<void> {
    try {
      const answer = await responseOf(this.#send(path));
      const text = await textOf(answer);
      if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${text}`);
      this.#answers += 1;
    } catch (error) {
      this.#fault(path, error);
    }
  }

  /** Resolves with the first event, or where there is none; goes on until the page is closed. */
  #follow(path: string): Promise<void> {
    return new Promise((resolve) => {
      this.#read(path, resolve)
        .catch((error: unknown) => this.#fault(path, error))
        .finally(resolve);
    });
  }

  async #read(path: string, onEvent: () => void): Promise<never> {
    const stream = await responseOf(this.#send(path));
    let rest = "";
    for await (const text of stream.setEncoding("utf8")) {
      const events = `${rest}${text}`.split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events.filter((each) => each.startsWith("event: "))) {
        if (event.startsWith("event: fault\n")) throw new Error(event);
        this.#events += 1;
        if (event.startsWith("event: usage\n")) void this.#refresh();
        onEvent();
      }
    }
    throw new Error(`the stream ended with status ${stream.statusCode}: ${rest}`);
  }

  /** One at a time; news that come meanwhile are looked at together. */
  async #refresh(): Promise<void> {
    this.#isWanted = true;
    if (this.#isAsking) return;
    this.#isAsking = true;
    while (this.#isWanted && this.#isOpen) {
      this.#isWanted = false;
      this.#news += 1;
      const asked = ["/usage/series", "/usage/table"];
      if (this.#news % CONTRACTS_EVERY === 0) asked.push("/usage/contracts");
      await Promise.all(asked.map((each) => this.#ask(this.#own(each))));
    }
    this.#isAsking = false;
  }

  #fault(path: string, error: unknown): void {
    if (this.#isOpen) this.#faults.push(`${path}: ${String(error)}`);
  }
}

/** Of nobody: nothing. */
export function sumOf(all: readonly Seen[]): Seen {
  const sum = (of: (one: Seen) => number) => all.reduce((total, one) => total + of(one), 0);
  return {
    events: sum(({ events }) => events),
    answers: sum(({ answers }) => answers),
    faults: {
      count: sum(({ faults }) => faults.count),
      first: all.find(({ faults }) => faults.first !== null)?.faults.first ?? null,
    },
  };
}

function responseOf(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once("response", resolve);
    // For good: an error may follow the answer, and is then told to who reads it.
    sent.on("error", reject);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return text;
}
