import type { KeyView } from "../../../../src/console/contract/keys.ts";
import { toast } from "../../announce.tsx";
import { api } from "../../api.ts";
import { useAccount } from "../../session.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Ago } from "../../ui/display.tsx";
import { Notice } from "../../ui/notice.tsx";

type Props = {
  readonly item: KeyView;
  readonly onClose: () => void;
  readonly onDone: () => void;
};

const RECENT_MS = 86_400_000;

export function RevokeKey({ item, onClose, onDone }: Props) {
  const { path } = useAccount();
  const recent = item.lastUsed !== null && Date.now() - Date.parse(item.lastUsed) < RECENT_MS;
  return (
    <Confirm
      title={`Revoke ${item.name}?`}
      action="Revoke the key"
      onClose={onClose}
      onConfirm={async () => {
        await api.post(path(`/keys/${encodeURIComponent(item.id)}/revoke`));
        toast(`${item.name} is revoked`);
        onDone();
      }}
    >
      <p>
        Within a second, every call with <code>{item.prefix}…</code> is refused with HTTP 401, and
        its WebSocket connections are closed. This cannot be undone.
      </p>
      {recent && item.lastUsed !== null && (
        <Notice tone="warn" title="This key is in use">
          The last call was <Ago value={item.lastUsed} />. To replace it without an outage, rotate
          it instead.
        </Notice>
      )}
    </Confirm>
  );
}
