import { useState } from "preact/hooks";
import type { NetworkView } from "../../../../src/console/contract/session.ts";
import { callSnippets } from "../../snippets/call.ts";
import { Code } from "../../ui/copy.tsx";
import { Tabs } from "../../ui/tabs.tsx";

/** Where a key belongs: the explorer's own is shown to nobody. */
const KEY = "YOUR_KEY";

type Props = {
  readonly network: NetworkView;
  readonly method: string;
  readonly params: readonly unknown[];
};

/** The call as it is entered now, for programs. */
export function CopyCall({ network, method, params }: Props) {
  const [chosen, setChosen] = useState("curl");
  const { family, httpUrl } = network;
  const snippets = callSnippets({ family, url: httpUrl + KEY, method, params });
  const snippet = snippets.find(({ label }) => label === chosen) ?? snippets[0];
  if (snippet === undefined) return null;
  return (
    <details class="details">
      <summary>Copy as code</summary>
      <div class="stack-tight">
        <Tabs
          label="Tool"
          tabs={snippets.map(({ label }) => ({ id: label, label }))}
          selected={snippet.label}
          onSelect={setChosen}
        >
          <Code label={`The call for ${snippet.label}`} text={snippet.text} />
        </Tabs>
        <p class="card-hint">
          Replace <code>{KEY}</code> with one of your keys.
        </p>
      </div>
    </details>
  );
}
