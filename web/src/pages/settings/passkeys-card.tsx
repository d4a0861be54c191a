import { useState } from "preact/hooks";
import { describeAgent } from "../../agents.ts";
import { toast } from "../../announce.tsx";
import { auth, unwrap } from "../../auth.ts";
import { useLoad } from "../../load.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { Ago, Card, Skeleton } from "../../ui/display.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Empty, LoadFault } from "../../ui/notice.tsx";

type Passkey = { readonly id: string; readonly name: string; readonly created: string };

async function listPasskeys(): Promise<readonly Passkey[]> {
  const found = unwrap(await auth.passkey.listUserPasskeys()) ?? [];
  return found.map(({ id, name, createdAt }) => ({
    id,
    name: name || "Unnamed passkey",
    created: new Date(createdAt).toISOString(),
  }));
}

export function PasskeysCard() {
  const { data, error, reload } = useLoad(listPasskeys);
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Passkey>();
  const able = "PublicKeyCredential" in window;
  const add = (
    <Button size="small" icon="plus" disabled={!able} onClick={() => setAdding(true)}>
      Add a passkey
    </Button>
  );
  return (
    <Card
      title="Passkeys"
      hint="Sign in with a fingerprint, a face or the PIN of a device."
      actions={data !== undefined && data.length > 0 && add}
    >
      {error !== undefined && <LoadFault error={error} retry={reload} />}
      {data === undefined && error === undefined && <Skeleton lines={2} />}
      {data?.length === 0 && (
        <Empty icon="key" title="No passkey yet" action={add}>
          {able
            ? "A passkey cannot be guessed, reused or phished, and counts as both factors."
            : "This browser does not support passkeys, or this page was opened by IP address or without https."}
        </Empty>
      )}
      <ul class="items">
        {data?.map((passkey) => (
          <li key={passkey.id} class="item">
            <div>
              {passkey.name}
              <span class="cell-note">
                Added <Ago value={passkey.created} />
              </span>
            </div>
            <Button size="small" onClick={() => setRemoving(passkey)}>
              Remove
            </Button>
          </li>
        ))}
      </ul>
      {adding && <AddPasskey onClose={() => setAdding(false)} onDone={reload} />}
      {removing && (
        <Confirm
          title="Remove this passkey?"
          action="Remove the passkey"
          onClose={() => setRemoving(undefined)}
          onConfirm={async () => {
            unwrap(await auth.passkey.deletePasskey({ id: removing.id }));
            toast("Passkey removed");
            reload();
          }}
        >
          <p>
            Nobody can sign in with “{removing.name}” any more. Your device may go on offering it:
            remove it there too.
          </p>
        </Confirm>
      )}
    </Card>
  );
}

type AddProps = { readonly onClose: () => void; readonly onDone: () => void };

function AddPasskey({ onClose, onDone }: AddProps) {
  return (
    <Dialog title="Add a passkey" onClose={onClose}>
      <Form
        submit="Continue"
        actions={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async (values) => {
          unwrap(await auth.passkey.addPasskey({ name: values.text("name") }));
          toast("Passkey added");
          onDone();
          onClose();
        }}
      >
        <Field
          name="name"
          label="Name"
          hint="To recognise it later, such as where it is kept. Your device asks for the rest."
          initial={describeAgent(navigator.userAgent)}
          maxLength={60}
          required
        />
      </Form>
    </Dialog>
  );
}
