import { useState } from "preact/hooks";
import type { Balance } from "../../../../src/console/contract/accounts.ts";
import type {
  OperatorAccount,
  PlanView,
} from "../../../../src/console/contract/operator-accounts.ts";
import { toast } from "../../announce.tsx";
import { api } from "../../api.ts";
import { formatNumber } from "../../format.ts";
import { useGet } from "../../load.ts";
import { Skeleton } from "../../ui/display.tsx";
import { Field, Select } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { LoadFault } from "../../ui/notice.tsx";
import { planChoices } from "./plans.ts";

/** No plan grants more, and sums of them stay exact. */
const MOST_CREDITS = 1_000_000_000_000;
const WRONG = `A whole number from 1 to ${formatNumber(MOST_CREDITS)}.`;
const AMOUNT = { type: "number", min: 1, max: MOST_CREDITS, wrong: WRONG } as const;

type FormProps = {
  readonly account: OperatorAccount;
  readonly path: string;
  readonly onChange: (changed: OperatorAccount) => void;
};

export function PlanForm({ account, path, onChange }: FormProps) {
  const { data, error, reload } = useGet<{ items: PlanView[] }>("/operator/plans");
  if (error !== undefined) return <LoadFault error={error} retry={reload} />;
  if (data === undefined) return <Skeleton lines={2} />;
  const isKnown = data.items.some(({ name }) => name === account.plan);
  const gone = isKnown ? [] : [{ value: account.plan, label: `${account.plan}: no such plan` }];
  return (
    <Form
      inline
      label="Plan"
      submit="Change plan"
      onSubmit={async (values) => {
        onChange(await api.patch<OperatorAccount>(path, { plan: values.text("plan") }));
        toast("Plan changed.");
      }}
    >
      <Select
        key={account.plan}
        name="plan"
        label="Plan"
        choices={[...gone, ...planChoices(data.items)]}
        initial={account.plan}
      />
    </Form>
  );
}

export function LimitsForm({ account: { ownLimits, limits }, path, onChange }: FormProps) {
  return (
    <Form
      label="Limits"
      submit="Save limits"
      onSubmit={async (values) => {
        const body = {
          creditsPerDay: numberOrNull(values.text("creditsPerDay")),
          creditsPerSecond: numberOrNull(values.text("creditsPerSecond")),
        };
        onChange(await api.patch<OperatorAccount>(path, { limits: body }));
        toast("Limits saved.");
      }}
    >
      <div class="fields">
        <Field
          {...AMOUNT}
          name="creditsPerDay"
          label="Credits per day"
          optional
          initial={ownLimits.creditsPerDay ?? ""}
          hint={`In force: ${formatNumber(limits.creditsPerDay)}`}
        />
        <Field
          {...AMOUNT}
          name="creditsPerSecond"
          label="Credits per second"
          optional
          initial={ownLimits.creditsPerSecond ?? ""}
          hint={`In force: ${formatNumber(limits.creditsPerSecond)}`}
        />
      </div>
    </Form>
  );
}

/** An empty field takes the limit away. */
function numberOrNull(text: string): number | null {
  return text === "" ? null : Number(text);
}

type CreditFormProps = { readonly path: string; readonly onAdded: () => void };

export function CreditForm({ path, onAdded }: CreditFormProps) {
  // Emptied once they are added: a second click must not add them again.
  const [amount, setAmount] = useState("");
  return (
    <Form
      inline
      label="Add credits"
      submit="Add"
      onSubmit={async (values) => {
        const credits = Number(values.text("credits"));
        const { left } = await api.post<Balance>(`${path}/credit`, { credits });
        toast(`${formatNumber(credits)} credits added. ${formatNumber(left)} left today.`);
        setAmount("");
        onAdded();
      }}
    >
      <Field
        {...AMOUNT}
        name="credits"
        label="Credits"
        required
        value={amount}
        onInput={setAmount}
      />
    </Form>
  );
}
