import { FAILURE_CLASSES } from "../../src/failures/failure-classes.ts";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";
import { startTestGateway, type TestGateway } from "./gateway.ts";

/** A network of the gateway whose upstreams are real nodes, each behind a proxy of its own. */
export type RigNetwork = {
  readonly name: string;
  /** Addresses with the key. */
  readonly http: string;
  readonly ws: string;
  /** In the order of the nodes; the upstreams are named a, b, c. */
  readonly proxies: readonly FaultProxy[];
  /** Those metrics of one upstream that show a fault of it: value by series. */
  readonly troubles: (upstream: string) => Promise<ReadonlyMap<string, number>>;
  /** Calls of this upstream that ended well. */
  readonly served: (upstream: string) => Promise<number>;
};

export type GatewayRig = {
  readonly gateway: TestGateway;
  readonly networks: readonly RigNetwork[];
  readonly stop: () => Promise<void>;
};

type Node = { readonly url: string; readonly wsUrl: string };
export type RigOptions = {
  readonly nodes: readonly Node[];
  /** One network each, all on the same nodes; one by default. */
  readonly networks?: readonly { readonly name: string; readonly webSocket: boolean }[];
  /** As in the configuration file, of every network. */
  readonly network?: object;
  /** Without proxies: the upstreams are the nodes themselves. */
  readonly direct?: boolean;
};

const ONE_NETWORK = [{ name: "net", webSocket: true }];
const UPSTREAM_NAMES = ["a", "b", "c"];

export async function startGatewayRig(options: RigOptions): Promise<GatewayRig> {
  const { nodes, networks = ONE_NETWORK, direct = false } = options;
  const behind = await Promise.all(
    networks.map(() => (direct ? [] : Promise.all(nodes.map(startFaultProxy)))),
  );
  const stopProxies = () => Promise.all(behind.flat().map((proxy) => proxy.stop()));
  const configs = networks.map(({ name, webSocket }, index) => ({
    name,
    family: "evm",
    ...options.network,
    upstreams: (direct ? nodes : (behind[index] ?? [])).map(({ url, wsUrl }, at) => ({
      name: UPSTREAM_NAMES[at],
      url,
      ...(webSocket && { ws: wsUrl }),
    })),
  }));
  try {
    const gateway = await startTestGateway({ networks: configs });
    return {
      gateway,
      networks: networks.map(({ name }, index) => networkOf(gateway, name, behind[index] ?? [])),
      stop: async () => {
        await gateway.stop();
        await stopProxies();
      },
    };
  } catch (cause) {
    await stopProxies();
    throw cause;
  }
}

function networkOf(gateway: TestGateway, name: string, proxies: readonly FaultProxy[]): RigNetwork {
  const own = `network="${name}"`;
  const all = async (): Promise<[string, number][]> => {
    const text = await (await gateway.admin("/metrics")).text();
    const lines = text.split("\n").filter((line) => line.includes(own));
    return lines.map((line) => {
      const end = line.lastIndexOf(" ");
      return [line.slice(0, end), Number(line.slice(end + 1))];
    });
  };
  const series = async (upstream: string) =>
    (await all()).filter(([line]) => line.includes(`upstream="${upstream}"`));
  const blocksBehind = async (upstream: string): Promise<number> => {
    const values = new Map(await all());
    const head = values.get(`tollgate_network_head{${own}}`) ?? 0;
    return head - (values.get(`tollgate_upstream_head{${own},upstream="${upstream}"}`) ?? 0);
  };
  return {
    name,
    http: gateway.http(name),
    ws: gateway.ws(name),
    proxies,
    troubles: async (upstream) =>
      new Map([
        ...(await series(upstream)).filter(([line]) => showsTrouble(line)),
        ["blocks behind", await blocksBehind(upstream)],
      ]),
    served: async (upstream) => {
      const served = (await series(upstream)).find(
        ([line]) => line.startsWith("tollgate_upstream_calls_total") && OUTCOME_OK.test(line),
      );
      return served?.[1] ?? 0;
    },
  };
}

const OUTCOME_OK = /outcome="ok"/;
/** What a node without fault says to a call that has no better answer. */
const OUTCOMES_OF_CALLS = ["ok", ...outcomesOfCalls()].join("|");
const OUTCOME_OF_CALL = new RegExp(`outcome="(?:${OUTCOMES_OF_CALLS})"`);
/** Of the rest, what tells of the node and not of its work. */
const STATE = /^tollgate_upstream_(?:breaker_opened_total|contradictions_total|ready)\{/;

function outcomesOfCalls(): readonly string[] {
  return Object.entries(FAILURE_CLASSES).flatMap(([name, { answer }]) =>
    answer === "unavailable" ? [] : [name],
  );
}

function showsTrouble(line: string): boolean {
  return line.includes("outcome=") ? !OUTCOME_OF_CALL.test(line) : STATE.test(line);
}
