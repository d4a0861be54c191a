import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

type Value = {
  readonly stringValue?: string;
  readonly intValue?: number;
  readonly boolValue?: boolean;
};

/** A span as it came, its attributes by their names. */
export type TakenSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number };
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>;
};

export type StandInCollector = {
  readonly url: string;
  /** The status that it answers with from now on; it takes spans with 200 alone. */
  status: number;
  readonly spans: readonly TakenSpan[];
  readonly requests: readonly {
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly text: string;
  }[];
  /** Resolves once `isThere` says so of what was taken. */
  readonly taken: (isThere: (spans: readonly TakenSpan[]) => boolean) => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Takes what a collector of traces takes: OTLP over HTTP, in JSON. */
export async function startStandInCollector(): Promise<StandInCollector> {
  const spans: TakenSpan[] = [];
  const requests: { path: string; headers: IncomingHttpHeaders; text: string }[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      requests.push({ path: request.url ?? "", headers: request.headers, text });
      if (collector.status === 200) spans.push(...spansIn(text));
      response.writeHead(collector.status, { "content-type": "application/json" }).end("{}");
      for (const look of waiting) look();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const collector: StandInCollector = {
    url: `http://127.0.0.1:${port}`,
    status: 200,
    spans,
    requests,
    taken: (isThere) =>
      new Promise((resolve) => {
        const look = () => {
          if (!isThere(spans)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return collector;
}

function spansIn(text: string): TakenSpan[] {
  const { resourceSpans } = JSON.parse(text);
  return resourceSpans.flatMap((one: { scopeSpans: { spans: object[] }[] }) =>
    one.scopeSpans.flatMap(({ spans }) => spans.map(named)),
  );
}

function named(span: object): TakenSpan {
  const { attributes, ...rest } = span as { attributes: { key: string; value: Value }[] };
  const values = attributes.map(({ key, value }) => [key, Object.values(value)[0]]);
  return { ...rest, attributes: Object.fromEntries(values) } as TakenSpan;
}
