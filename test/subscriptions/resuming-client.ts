import { rpc } from "../../src/dev/rpc.ts";
import { StreamClient, type Told } from "./stream.ts";

type Block = { readonly hash: string; readonly parentHash: string; readonly number: string };
type Log = {
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly logIndex: string;
  readonly removed: boolean;
};

const nameOf = ({ blockHash, logIndex }: Log): string => `${blockHash} ${Number(logIndex)}`;

/** Keeps the chain's heads and logs as it is told of them, over connections that end. */
export class ResumingClient {
  readonly faults: string[] = [];
  /** What it was told, and how often it began anew since it could not go on. */
  readonly tally = { heads: 0, logs: 0, removed: 0, resumed: 0, anew: 0 };
  readonly #urls: readonly string[];
  readonly #nodeUrl: string;
  /** Those told, each the child of the one before. */
  #path: Block[] = [];
  readonly #logs = new Map<string, Log>();
  #heads: { id: string; cursor: unknown } = { id: "", cursor: undefined };
  #events: { id: string; cursor: unknown } = { id: "", cursor: undefined };
  #client: StreamClient | undefined;

  static async open(urls: readonly string[], nodeUrl: string): Promise<ResumingClient> {
    const client = new ResumingClient(urls, nodeUrl);
    await client.#startAnew();
    await client.connect(0);
    return client;
  }

  private constructor(urls: readonly string[], nodeUrl: string) {
    this.#urls = urls;
    this.#nodeUrl = nodeUrl;
  }

  /** Nothing but what the node says now. */
  async #startAnew(): Promise<void> {
    const head = await rpc<Block>(this.#nodeUrl, "eth_getBlockByNumber", ["latest", false]);
    const logs = await rpc<Log[]>(this.#nodeUrl, "eth_getLogs", [
      { fromBlock: "0x0", toBlock: head.number },
    ]);
    this.tally.anew += 1;
    this.#path = [head];
    this.#logs.clear();
    for (const log of logs) this.#logs.set(nameOf(log), log);
    this.#heads.cursor = { blockHash: head.hash };
    this.#events.cursor = { blockHash: head.hash };
  }

  cut(): void {
    this.#client?.end();
    this.#client = undefined;
  }

  /** Where it is not connected; `at`, from 0 up to 1, chooses the gateway. */
  async connect(at: number): Promise<void> {
    if (this.#client !== undefined) return;
    const url = this.#urls[Math.floor(at * this.#urls.length)] ?? "";
    const client = await StreamClient.open(url, (told) => this.#told(client, told));
    this.#client = client;
    // A gateway closes it where it cannot tell what comes next.
    void client.closed.then(() => {
      if (this.#client === client) this.#client = undefined;
    });
    try {
      this.#heads.id = await client.subscribe("newHeads", { resume: this.#heads.cursor });
      this.tally.resumed += 1;
      this.#events.id = await client.subscribe("logs", {}, { resume: this.#events.cursor });
    } catch (error) {
      this.cut();
      // Its block was replaced, and forgotten by all: it begins anew, as the page says.
      if (!String(error).includes("cannot resume")) throw error;
      await this.#startAnew();
      await this.connect(at);
    }
  }

  #told(client: StreamClient, { subscription, result, cursor }: Told): void {
    if (client !== this.#client) return;
    const isHead = "parentHash" in result;
    (isHead ? this.#heads : this.#events).cursor = cursor;
    void subscription;
    if (isHead) this.#head(result as unknown as Block);
    else this.#log(result as unknown as Log);
  }

  #head(block: Block): void {
    this.tally.heads += 1;
    const at = this.#path.findIndex(({ hash }) => hash === block.parentHash);
    // What lies below the block that it began with may have been replaced, too.
    const isAbove = Number(block.number) > Number(this.#path[0]?.number);
    if (at < 0 && isAbove) this.faults.push(`head ${block.number} has no parent`);
    if (this.#path.some(({ hash }) => hash === block.hash)) {
      this.faults.push(`head ${block.number} was told twice`);
    }
    this.#path = [...this.#path.slice(0, at + 1), block];
  }

  #log(log: Log): void {
    const name = nameOf(log);
    this.tally[log.removed ? "removed" : "logs"] += 1;
    if (log.removed) {
      if (!this.#logs.delete(name)) this.faults.push(`${name} was removed, and had not been told`);
      return;
    }
    if (this.#logs.has(name)) this.faults.push(`${name} was told twice`);
    this.#logs.set(name, log);
  }

  /** What it has not been told yet, or was told wrongly; empty where it has the node's chain. */
  async missing(): Promise<string> {
    const head = await rpc<Block>(this.#nodeUrl, "eth_getBlockByNumber", ["latest", false]);
    const last = this.#path.at(-1);
    if (last?.hash !== head.hash) return `told up to ${last?.number}, not ${head.number}`;
    const logs = await rpc<Log[]>(this.#nodeUrl, "eth_getLogs", [
      { fromBlock: "0x0", toBlock: head.number },
    ]);
    const wanted = new Set(logs.map(nameOf));
    const missing = [...wanted].filter((name) => !this.#logs.has(name));
    const wrong = [...this.#logs.keys()].filter((name) => !wanted.has(name));
    if (missing.length + wrong.length === 0) return "";
    return `misses ${missing.length} logs, and has ${wrong.length} that are none`;
  }
}
