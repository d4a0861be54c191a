import { toast } from "../../announce.tsx";
import { auth, unwrap } from "../../auth.ts";
import { useSession } from "../../session.tsx";
import { Card } from "../../ui/display.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";

export function ProfileCard() {
  const { me, refresh } = useSession();
  return (
    <Card title="You" hint={me?.user.email}>
      <Form
        submit="Save"
        kind="plain"
        inline
        onSubmit={async (values) => {
          unwrap(await auth.updateUser({ name: values.text("name") }));
          await refresh();
          toast("Name saved");
        }}
      >
        <Field
          name="name"
          label="Name"
          autoComplete="name"
          maxLength={100}
          initial={me?.user.name}
          required
        />
      </Form>
    </Card>
  );
}
