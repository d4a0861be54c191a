import type { Drained, UpstreamView } from "../../../../src/console/contract/operator-networks.ts";
import { toast } from "../../announce.tsx";
import { api } from "../../api.ts";
import { plural } from "../../format.ts";
import { Confirm } from "../../ui/dialog.tsx";
import { Notice } from "../../ui/notice.tsx";
import { isLastReady } from "./upstream-states.ts";

type SwitchProps = {
  readonly network: string;
  readonly upstream: UpstreamView;
  /** All of the network, as they are now. */
  readonly upstreams: readonly UpstreamView[];
  readonly onClose: () => void;
};

/** Asks, then drains an upstream or enables it again. */
export function SwitchUpstream({ network, upstream, upstreams, onClose }: SwitchProps) {
  const { name, inFlight, state } = upstream;
  const isDrained = state === "drained";
  const action = isDrained ? "enable" : "drain";
  const run = async () => {
    const place = [network, name].map(encodeURIComponent).join("/upstreams/");
    await api.post<Drained>(`/operator/networks/${place}/${action}`);
    toast(isDrained ? `${name} is back in use.` : `${name} gets no new calls.`);
  };
  return (
    <Confirm
      title={isDrained ? `Enable ${name}?` : `Drain ${name}?`}
      action={isDrained ? "Enable" : "Drain"}
      onConfirm={run}
      onClose={onClose}
    >
      {isDrained ? (
        <p>
          Calls of <strong>{network}</strong> go to {name} again as soon as it is found to be
          healthy.
        </p>
      ) : (
        <p>
          {name} gets no new calls of <strong>{network}</strong> from any gateway until you enable
          it. {plural(inFlight, "call")} in the air will end by{" "}
          {inFlight === 1 ? "itself" : "themselves"}.
        </p>
      )}
      {!isDrained && isLastReady(upstreams, name) && (
        <Notice tone="warn" title="No other upstream is ready">
          While this one is drained, calls of {network} are answered from what is kept, or refused.
        </Notice>
      )}
    </Confirm>
  );
}
