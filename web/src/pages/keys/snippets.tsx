import { useState } from "preact/hooks";
import type { Networks, NetworkView } from "../../../../src/console/contract/session.ts";
import { useGet } from "../../load.ts";
import { snippetsOf } from "../../snippets/of-family.ts";
import { fillSnippet, type Snippet } from "../../snippets/snippet.ts";
import { Code } from "../../ui/copy.tsx";
import { Skeleton } from "../../ui/display.tsx";
import { Select } from "../../ui/field.tsx";
import { Empty, LoadFault } from "../../ui/notice.tsx";
import { Tabs } from "../../ui/tabs.tsx";

/** For each network its addresses with the key, and programs that work as pasted. */
export function Snippets({ secret }: { readonly secret: string }) {
  const { data, error, reload } = useGet<Networks>("/networks");
  const [name, setName] = useState<string>();
  if (error !== undefined) return <LoadFault error={error} retry={reload} />;
  if (data === undefined) return <Skeleton lines={3} />;
  const network = data.networks.find((one) => one.name === name) ?? data.networks[0];
  if (network === undefined) {
    return (
      <Empty icon="network" title="No networks are configured">
        The operator of this gateway can add networks to its configuration.
      </Empty>
    );
  }
  return (
    <div class="stack">
      <Select
        name="network"
        label="Network"
        value={network.name}
        choices={data.networks.map((one) => ({ value: one.name, label: labelOf(one) }))}
        onChange={setName}
      />
      <div class="stack-tight">
        <Code label="HTTP address" text={network.httpUrl + secret} wrap />
        <Code label="WebSocket address" text={network.wsUrl + secret} wrap />
      </div>
      <Programs
        key={network.family}
        snippets={snippetsOf(network.family)}
        url={network.httpUrl + secret}
      />
    </div>
  );
}

function labelOf({ name, chainId, family }: NetworkView): string {
  if (family === "slot") return `${name} (slot network)`;
  return chainId === null ? name : `${name} (chain ${chainId})`;
}

type ProgramsProps = { readonly snippets: readonly Snippet[]; readonly url: string };

function Programs({ snippets, url }: ProgramsProps) {
  const [id, setId] = useState("curl");
  const snippet = snippets.find((one) => one.id === id) ?? snippets[0];
  if (snippet === undefined) return null;
  const { file, setup, start } = snippet;
  return (
    <Tabs
      label="Tool"
      tabs={snippets.map((one) => ({ id: one.id, label: one.label }))}
      selected={snippet.id}
      onSelect={setId}
    >
      <div class="stack-tight">
        {setup.length > 0 && <Code label="To install" text={setup.join("\n")} />}
        {file !== undefined && start !== undefined && (
          <p class="muted small">
            Save it as <code>{file}</code> and run <code>{start}</code>
          </p>
        )}
        <Code label={`${snippet.label} program`} text={fillSnippet(snippet, url)} />
      </div>
    </Tabs>
  );
}
