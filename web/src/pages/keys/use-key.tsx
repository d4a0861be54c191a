import type { KeyView } from "../../../../src/console/contract/keys.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Snippets } from "./snippets.tsx";

type Props = { readonly item: KeyView; readonly onClose: () => void };

/** The programs again; the key itself was shown when it was made. */
export function UseKey({ item, onClose }: Props) {
  return (
    <Dialog title={`Use ${item.name}`} onClose={onClose} wide>
      <div class="stack">
        <p class="muted">
          Replace YOUR_API_KEY with your key, which begins with <code>{item.prefix}</code>. If you
          have lost it, rotate it to get a new one.
        </p>
        <Snippets secret="YOUR_API_KEY" />
      </div>
    </Dialog>
  );
}
