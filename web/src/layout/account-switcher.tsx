import { announce } from "../announce.tsx";
import { useSession } from "../session.tsx";
import { Select } from "../ui/field.tsx";

/** The account that the pages speak of: a choice for those who belong to several. */
export function AccountSwitcher() {
  const { me, account, selectAccount } = useSession();
  if (me === undefined || account === undefined) return null;
  if (me.accounts.length === 1) {
    return (
      <p class="side-account">
        <span class="side-account-name" title={account.email}>
          {account.email}
        </span>
        <span class="side-account-plan">{account.plan} plan</span>
      </p>
    );
  }
  return (
    <div class="side-account">
      <Select
        name="account"
        label="Account"
        value={account.id}
        choices={me.accounts.map(({ id, email, role }) => ({
          value: id,
          label: role === "owner" ? `${email} (yours)` : email,
        }))}
        onChange={(id) => {
          selectAccount(id);
          announce(`Account ${me.accounts.find((one) => one.id === id)?.email}`);
        }}
      />
      <span class="side-account-plan">{account.plan} plan</span>
    </div>
  );
}
