import { TOKEN_NAME_MAX_LENGTH } from "../../../../src/console/contract/constants.ts";
import type { NewTokenBody, NewTokenView } from "../../../../src/console/contract/tokens.ts";
import { ApiError, api } from "../../api.ts";
import { useAccount } from "../../session.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, Switch } from "../../ui/field.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { EndField } from "../keys/key-fields.tsx";
import { SCOPES } from "./scopes.ts";

type Props = { readonly onClose: () => void; readonly onDone: (made: NewTokenView) => void };

export function CreateToken({ onClose, onDone }: Props) {
  const { path } = useAccount();
  const send = async (values: FormValues) => {
    const scopes = SCOPES.map(({ scope }) => scope).filter((scope) => values.checked(scope));
    if (scopes.length === 0) {
      const message = "Choose at least one permission.";
      throw new ApiError({ status: 400, code: "bad_request", message });
    }
    const expires = values.text("expires");
    const body: NewTokenBody = {
      ...{ name: values.text("name"), scopes },
      ...(expires === "" ? {} : { expires }),
    };
    onDone(await api.post<NewTokenView>(path("/tokens"), body));
  };
  return (
    <Dialog title="Create an API token" onClose={onClose}>
      <Form
        submit="Create the token"
        actions={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={send}
      >
        <Field
          name="name"
          label="Name"
          hint="The program that uses it, such as “terraform” or “billing”."
          maxLength={TOKEN_NAME_MAX_LENGTH}
          required
        />
        <fieldset class="stack-tight">
          <legend class="legend">Permissions</legend>
          {SCOPES.map(({ scope, label }) => (
            <Switch key={scope} name={scope} label={label} hint={scope} />
          ))}
        </fieldset>
        <EndField />
      </Form>
    </Dialog>
  );
}
