import type { KeyView, RotatedKey } from "../../../../src/console/contract/keys.ts";
import { api } from "../../api.ts";
import { useAccount } from "../../session.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Select } from "../../ui/field.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import type { Secret } from "./secret-dialog.tsx";

const OVERLAPS = [
  { value: "15m", label: "15 minutes" },
  { value: "1h", label: "1 hour" },
  { value: "24h", label: "1 day" },
  { value: "7d", label: "7 days" },
  { value: "30d", label: "30 days" },
] as const;

type Props = {
  readonly item: KeyView;
  readonly onClose: () => void;
  readonly onDone: (secret: Secret) => void;
};

export function RotateKey({ item, onClose, onDone }: Props) {
  const { path } = useAccount();
  const send = async (values: FormValues) => {
    const made = await api.post<RotatedKey>(path(`/keys/${encodeURIComponent(item.id)}/rotate`), {
      overlap: values.text("overlap"),
    });
    onDone({ name: made.key.name, text: made.secret, oldEnds: made.replacedEnds });
  };
  return (
    <Dialog title={`Rotate ${item.name}`} onClose={onClose}>
      <Form
        submit="Create the new key"
        actions={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={send}
      >
        <p>
          A new key with the same name, limits and lists is created. Both work until the overlap
          ends, so that you can replace the old one everywhere.
        </p>
        <Select
          name="overlap"
          label="The old key works for another"
          choices={OVERLAPS}
          initial="24h"
        />
      </Form>
    </Dialog>
  );
}
