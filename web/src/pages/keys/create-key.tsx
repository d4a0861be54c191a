import type { NewKeyBody, NewKeyView } from "../../../../src/console/contract/keys.ts";
import { api } from "../../api.ts";
import { useAccount } from "../../session.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { EndField, LimitFields, NameField, readLimits, useAllowEditor } from "./key-fields.tsx";
import type { Secret } from "./secret-dialog.tsx";

type Props = { readonly onClose: () => void; readonly onDone: (secret: Secret) => void };

export function CreateKey({ onClose, onDone }: Props) {
  const { path } = useAccount();
  const { allow, editor, check } = useAllowEditor();
  const send = async (values: FormValues) => {
    check(values);
    const expires = values.text("expires");
    const body: NewKeyBody = {
      name: values.text("name"),
      ...(expires === "" ? {} : { expires }),
      limits: readLimits(values),
      allow,
    };
    const made = await api.post<NewKeyView>(path("/keys"), body);
    onDone({ name: made.key.name, text: made.secret });
  };
  return (
    <Dialog title="Create a key" onClose={onClose} wide>
      <Form
        submit="Create the key"
        actions={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={send}
      >
        <NameField />
        <details class="details">
          <summary>Limits, expiry and restrictions</summary>
          <div class="stack">
            <LimitFields />
            <EndField />
            {editor}
          </div>
        </details>
      </Form>
    </Dialog>
  );
}
