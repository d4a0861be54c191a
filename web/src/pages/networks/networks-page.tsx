import "./networks.css";
import { useState } from "preact/hooks";
import type {
  NetworkOverviewView,
  NetworksOverview,
} from "../../../../src/console/contract/operator-networks.ts";
import { formatNumber } from "../../format.ts";
import { useLive } from "../../live.ts";
import { useGet } from "../../load.ts";
import { Code } from "../../ui/copy.tsx";
import { Card, LiveMark, PageHead, Skeleton, Stat, Stats } from "../../ui/display.tsx";
import { Empty, LoadFault, Notice } from "../../ui/notice.tsx";
import { GatewayTable } from "./gateway-table.tsx";
import { SwitchUpstream } from "./switch-upstream.tsx";
import { formatRate } from "./upstream-states.ts";
import { UpstreamTable } from "./upstream-table.tsx";

/** Every network's nodes as the gateway sees them, each second. */
export function NetworksPage() {
  const live = useLive<NetworksOverview>("/operator/networks/live", "networks");
  const first = useGet<NetworksOverview>("/operator/networks");
  const shown = live.data ?? first.data;
  const error = shown === undefined ? first.error : undefined;
  return (
    <>
      <PageHead title="Networks" actions={<LiveMark state={live.state} />}>
        The nodes behind each network: their state, head and latency. Drain a node before you work
        on it.
      </PageHead>
      {error !== undefined && <LoadFault error={error} retry={first.reload} />}
      {live.fault !== undefined && (
        <Notice tone="warn" title="These numbers are out of date">
          {live.fault}
        </Notice>
      )}
      {shown === undefined && error === undefined && <Skeleton lines={8} />}
      {shown?.admin === false && <AdminClosed />}
      {shown?.admin === true && shown.networks.length === 0 && (
        <Card>
          <Empty icon="network" title="No networks yet">
            Add one under <code>networks</code> in the gateway's configuration, with the addresses
            of its nodes, then restart the gateway.
          </Empty>
        </Card>
      )}
      {shown?.networks.map((network) => (
        <NetworkCard key={network.name} network={network} />
      ))}
      {shown !== undefined && <Fleet fleet={shown.fleet} />}
    </>
  );
}

function Fleet({ fleet }: Pick<NetworksOverview, "fleet">) {
  if (fleet === null) {
    return (
      <Notice tone="warn" title="The gateways could not be listed">
        The storage does not respond. The dashboard's log says why.
      </Notice>
    );
  }
  return (
    <Card title="Gateways" hint="All gateways that share this storage" flush>
      {fleet.differ.length > 0 && (
        <Notice tone="warn" title="The gateways' configurations differ">
          These settings should be the same in all of them: {fleet.differ.join(", ")}.
        </Notice>
      )}
      <GatewayTable gateways={fleet.gateways} />
    </Card>
  );
}

const OPEN_ADMIN = "admin:\n  host: 127.0.0.1\n  port: 9545\n";

function AdminClosed() {
  return (
    <Card>
      <Empty icon="network" title="The admin port is closed">
        <div class="stack admin-closed">
          <p>
            The dashboard reads the nodes from the gateway's admin port, which is not configured.
            Add this and restart the gateway:
          </p>
          <Code label="Configuration of the admin port" text={OPEN_ADMIN} />
          <p>It is for operators only: keep it on an address that only this machine can reach.</p>
        </div>
      </Empty>
    </Card>
  );
}

function NetworkCard({ network }: { readonly network: NetworkOverviewView }) {
  const { name, upstreams, traffic } = network;
  const [switched, setSwitched] = useState<string>();
  const upstream = upstreams.find((one) => one.name === switched);
  const ready = upstreams.filter(({ state }) => state === "ready").length;
  const failed = traffic?.failed ?? 0;
  return (
    <Card title={name} hint={describe(network)} flush>
      <div class="network-stats">
        <Stats>
          <Heads network={network} />
          <Stat
            label="Ready"
            value={`${ready} of ${upstreams.length}`}
            note="upstreams"
            {...(ready === 0 ? { tone: "danger" as const } : {})}
          />
          <Stat
            label="Calls"
            value={traffic === null ? "–" : formatRate(traffic.calls)}
            note="per second, from clients"
          />
          <Stat
            label="Failed"
            value={traffic === null ? "–" : formatRate(failed)}
            note="per second, from clients"
            {...(failed > 0 ? { tone: "warn" as const } : {})}
          />
        </Stats>
      </div>
      <UpstreamTable
        network={name}
        upstreams={upstreams}
        onSwitch={(one) => setSwitched(one.name)}
      />
      {upstream !== undefined && (
        <SwitchUpstream
          {...{ network: name, upstream, upstreams }}
          onClose={() => setSwitched(undefined)}
        />
      )}
    </Card>
  );
}

function describe({ family, chainId, genesisHash }: NetworkOverviewView): string {
  if (family === "slot") return `slot network · genesis ${genesisHash ?? "not known yet"}`;
  return `EVM · chain id ${chainId ?? "not known yet"}`;
}

/** The newest block; of slot networks each commitment's slot. */
function Heads({
  network: { family, head, headHash, slots },
}: {
  readonly network: NetworkOverviewView;
}) {
  const known = Object.entries(slots ?? {}).filter(([, slot]) => slot >= 0);
  if (family === "slot" && known.length > 0) {
    return (
      <>
        {known.map(([commitment, slot]) => (
          <Stat key={commitment} label={`Slot, ${commitment}`} value={formatNumber(slot)} />
        ))}
      </>
    );
  }
  return (
    <Stat
      label="Head"
      value={head === null ? "not known yet" : formatNumber(head)}
      note={headHash !== null && <code title={headHash}>{headHash.slice(0, 18)}…</code>}
    />
  );
}
