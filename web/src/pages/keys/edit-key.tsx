import type { KeyChangesBody, KeyView } from "../../../../src/console/contract/keys.ts";
import { toast } from "../../announce.tsx";
import { api } from "../../api.ts";
import { useAccount } from "../../session.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { LimitFields, NameField, readLimits, useAllowEditor } from "./key-fields.tsx";

type Props = {
  readonly item: KeyView;
  readonly onClose: () => void;
  readonly onDone: () => void;
};

export function EditKey({ item, onClose, onDone }: Props) {
  const { path } = useAccount();
  const { allow, editor, check } = useAllowEditor(item.allow);
  const send = async (values: FormValues) => {
    check(values);
    const name = values.text("name");
    const changes: KeyChangesBody = {
      // The explorer's own key keeps its name, which nobody else may give.
      ...(name === item.name ? {} : { name }),
      limits: readLimits(values),
      allow,
    };
    await api.patch(path(`/keys/${encodeURIComponent(item.id)}`), changes);
    toast(`${name} is updated. Gateways apply it within a second`);
    onDone();
    onClose();
  };
  return (
    <Dialog title={`Edit ${item.name}`} onClose={onClose} wide>
      <Form submit="Save" actions={<Button onClick={onClose}>Cancel</Button>} onSubmit={send}>
        <NameField initial={item.name} />
        <LimitFields initial={item.limits} />
        {editor}
      </Form>
    </Dialog>
  );
}
