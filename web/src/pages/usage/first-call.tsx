import type { Networks } from "../../../../src/console/contract/session.ts";
import { useGet } from "../../load.ts";
import { Link } from "../../router.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Code } from "../../ui/copy.tsx";
import { Skeleton } from "../../ui/display.tsx";
import { Empty, LoadFault } from "../../ui/notice.tsx";

/** In place of charts without calls: how to make the first one. */
export function FirstCall({ range }: { readonly range: string }) {
  const { data, error, reload } = useGet<Networks>("/networks");
  if (error !== undefined) return <LoadFault error={error} retry={reload} />;
  if (data === undefined) return <Skeleton lines={6} />;
  const network = data.networks[0];
  if (network === undefined) {
    return (
      <Empty icon="network" title="No networks yet">
        This gateway serves no networks. An operator can add one under <code>networks</code> in its
        configuration.
      </Empty>
    );
  }
  const method = network.family === "evm" ? "eth_blockNumber" : "getSlot";
  return (
    <Empty
      icon="usage"
      title={`No calls in ${range}`}
      action={
        <ButtonLink to="/explorer" icon="explorer">
          Try a call in the explorer
        </ButtonLink>
      }
    >
      <ol class="first-call">
        <li>
          <Link to="/keys">Create an API key</Link>, or use one you have.
        </li>
        <li>
          Replace <code>YOUR_KEY</code> with it and run this in a terminal:
          <Code label="The first call" text={curlOf(network.httpUrl, method)} wrap />
        </li>
        <li>The call appears here within two seconds, with its cost.</li>
      </ol>
    </Empty>
  );
}

function curlOf(url: string, method: string): string {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] });
  return `curl ${url}YOUR_KEY \\\n  -H 'content-type: application/json' \\\n  -d '${body}'`;
}
