import { once } from "node:events";
import { WebSocket } from "ws";

type Reply = { readonly id?: number; readonly result?: unknown; readonly error?: unknown };

export type Heap = { readonly usedBytes: number; readonly externalBytes: number };
/** A function that was called, of a module's source. */
export type CalledFunction = { readonly url: string; readonly name: string; readonly at: number };

/** What V8 tells of precise coverage. */
type Coverage = {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
    }[];
  }[];
};

/** Milliseconds by which turns of the event loop came late, since the last time it was asked for. */
export type LoopDelay = { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number };

const NANOSECONDS = 1e6;
const LISTENING = /Debugger listening on (ws:\S+)/;
const WATCH_DELAY = `
  globalThis.benchDelay = process.getBuiltinModule("node:perf_hooks").monitorEventLoopDelay({ resolution: 1 });
  globalThis.benchDelay.enable();`;
const READ_DELAY = `(() => {
  const { benchDelay: delay } = globalThis;
  const found = [delay.percentile(50), delay.percentile(99), delay.max];
  delay.reset();
  return found;
})()`;

/** Looks into a program of this machine that was started with --inspect, which needs nothing of the program. */
export class Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => {
      const reply = JSON.parse(String(data)) as Reply;
      this.#waiting.get(reply.id ?? 0)?.(reply);
    });
  }

  /**
   * @param stderr what the program wrote to standard error, which tells where it listens
   * @throws where it does not
   */
  static async ofProgram(stderr: string): Promise<Inspector> {
    const url = LISTENING.exec(stderr)?.[1];
    if (url === undefined) throw new Error(`no inspector: ${stderr}`);
    return Inspector.#connect(url);
  }

  static async #connect(url: string): Promise<Inspector> {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    await once(socket, "open");
    const inspector = new Inspector(socket);
    await inspector.#evaluate(WATCH_DELAY);
    return inspector;
  }

  /** Collects all garbage, which stops the program meanwhile, and tells what is left. */
  async heap(): Promise<Heap> {
    await this.#ask("HeapProfiler.collectGarbage", {});
    const [usedBytes = 0, externalBytes = 0] = (await this.#evaluate(
      "(({ heapUsed, external }) => [heapUsed, external])(process.memoryUsage())",
    )) as number[];
    return { usedBytes, externalBytes };
  }

  /** The functions of the program that are called meanwhile. */
  async calledDuring(run: () => Promise<void>): Promise<CalledFunction[]> {
    await this.#ask("Profiler.enable", {});
    await this.#ask("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await this.#ask("Profiler.takePreciseCoverage", {});
    await run();
    const { result } = (await this.#ask("Profiler.takePreciseCoverage", {})) as Coverage;
    return result.flatMap(({ url, functions }) =>
      functions.flatMap(({ functionName: name, ranges: [range] }) =>
        range === undefined || range.count === 0 ? [] : [{ url, name, at: range.startOffset }],
      ),
    );
  }

  async loopDelay(): Promise<LoopDelay> {
    const found = (await this.#evaluate(READ_DELAY)) as number[];
    const [p50Ms = 0, p99Ms = 0, maxMs = 0] = found.map((value) => value / NANOSECONDS);
    return { p50Ms, p99Ms, maxMs };
  }

  close(): void {
    this.#socket.terminate();
  }

  async #evaluate(expression: string): Promise<unknown> {
    const reply = await this.#ask("Runtime.evaluate", { expression, returnByValue: true });
    return (reply as { readonly result: { readonly value?: unknown } }).result.value;
  }

  #ask(method: string, params: object): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const closed = () => reject(new Error("the inspected program has ended"));
      this.#socket.once("close", closed);
      this.#waiting.set(id, ({ result, error }) => {
        this.#waiting.delete(id);
        this.#socket.off("close", closed);
        if (error === undefined) resolve(result);
        else reject(new Error(`${method}: ${JSON.stringify(error)}`));
      });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}
