import { useState } from "preact/hooks";
import type { Member } from "../../../../src/console/contract/members.ts";
import { toast } from "../../announce.tsx";
import { api } from "../../api.ts";
import { useGet } from "../../load.ts";
import { useAccount, useSession } from "../../session.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Badge, Card, PageHead, Skeleton, Time } from "../../ui/display.tsx";
import { Field } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { LoadFault, Notice } from "../../ui/notice.tsx";
import { type Column, Table } from "../../ui/table.tsx";

export function MembersPage() {
  const { account, path } = useAccount();
  const { data, error, reload } = useGet<{ readonly items: readonly Member[] }>(path("/members"));
  const [removing, setRemoving] = useState<Member>();
  const owner = account.role === "owner";
  return (
    <>
      <PageHead title="Members">
        Members can see this account's usage and keys, and create, change and revoke keys. Only the
        owner can change members and alerts.
      </PageHead>
      {owner ? (
        <AddMember onDone={reload} />
      ) : (
        <Notice>Only the owner, {account.email}, can add and remove members.</Notice>
      )}
      {error !== undefined && <LoadFault error={error} retry={reload} />}
      <Card flush>
        {data === undefined ? (
          <Skeleton lines={2} />
        ) : (
          <Table
            caption="Members"
            columns={columnsOf(owner ? setRemoving : undefined)}
            rows={data.items}
            rowKey={({ email }) => email}
          />
        )}
      </Card>
      {removing !== undefined && (
        <Confirm
          title={`Remove ${removing.email}?`}
          action="Remove the member"
          onClose={() => setRemoving(undefined)}
          onConfirm={async () => {
            await api.remove(path(`/members/${encodeURIComponent(removing.id ?? "")}`));
            toast(`${removing.email} is no longer a member`);
            reload();
          }}
        >
          <p>
            They can no longer see this account. Keys they copied keep working: rotate or revoke
            those.
          </p>
        </Confirm>
      )}
    </>
  );
}

function AddMember({ onDone }: { readonly onDone: () => void }) {
  const { path } = useAccount();
  const { config } = useSession();
  const [round, setRound] = useState(0);
  return (
    <Card title="Add a member">
      <Form
        key={round}
        submit="Add"
        inline
        onSubmit={async (values) => {
          const email = values.text("email");
          await api.post<Member>(path("/members"), { email });
          toast(
            config.mail
              ? `${email} is a member; an invitation is on its way`
              : `${email} is a member`,
          );
          setRound(round + 1);
          onDone();
        }}
      >
        <Field
          name="email"
          label="E-mail"
          type="email"
          autoComplete="off"
          hint={
            config.mail
              ? "They get an e-mail that says how to sign in. Only this address can join."
              : "This gateway sends no mail. Tell them to sign in with this address."
          }
          required
        />
      </Form>
    </Card>
  );
}

function columnsOf(onRemove: ((member: Member) => void) | undefined): readonly Column<Member>[] {
  const columns: readonly Column<Member>[] = [
    { key: "email", head: "E-mail", rowHead: true, cell: ({ email }) => email },
    {
      key: "role",
      head: "Role",
      cell: ({ role }) => <Badge {...(role === "owner" ? { tone: "info" } : {})}>{role}</Badge>,
    },
    { key: "added", head: "Since", cell: ({ added }) => <Time value={added} /> },
  ];
  if (onRemove === undefined) return columns;
  return [
    ...columns,
    {
      key: "remove",
      head: "Actions",
      unseenHead: true,
      align: "end",
      cell: (member) =>
        member.id !== null && (
          <Button size="small" label={`Remove ${member.email}`} onClick={() => onRemove(member)}>
            Remove
          </Button>
        ),
    },
  ];
}
