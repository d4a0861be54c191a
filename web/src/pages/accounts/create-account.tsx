import type {
  OperatorAccount,
  PlanView,
} from "../../../../src/console/contract/operator-accounts.ts";
import { toast } from "../../announce.tsx";
import { api } from "../../api.ts";
import { useGet } from "../../load.ts";
import { navigate } from "../../router.tsx";
import { useSession } from "../../session.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Skeleton } from "../../ui/display.tsx";
import { Field, Select } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { LoadFault } from "../../ui/notice.tsx";
import { planChoices } from "./plans.ts";

/** Makes an account for somebody, who is invited where mail can be sent. */
export function CreateAccount({ onClose }: { readonly onClose: () => void }) {
  const { mail } = useSession().config;
  const { data, error, reload } = useGet<{ items: PlanView[] }>("/operator/plans");
  return (
    <Dialog title="New account" onClose={onClose}>
      {error !== undefined && <LoadFault error={error} retry={reload} />}
      {data === undefined && error === undefined && <Skeleton />}
      {data !== undefined && (
        <Form
          submit={mail ? "Create and invite" : "Create"}
          onSubmit={async (values) => {
            const body = { email: values.text("email"), plan: values.text("plan") };
            const made = await api.post<OperatorAccount>("/operator/accounts", body);
            toast(mail ? `${made.email} is invited.` : `The account ${made.email} is created.`);
            navigate(`/accounts/${encodeURIComponent(made.id)}`);
          }}
        >
          <Field
            type="email"
            name="email"
            label="Owner's e-mail"
            hint={
              mail
                ? "We send an invitation with a sign-in link to this address."
                : "Mail is not set up. Create a sign-in link with “tollgate accounts link” and send it yourself."
            }
            required
            maxLength={254}
            autoComplete="off"
          />
          <Select name="plan" label="Plan" choices={planChoices(data.items)} />
        </Form>
      )}
    </Dialog>
  );
}
