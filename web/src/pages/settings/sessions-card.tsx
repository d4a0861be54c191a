import { describeAgent } from "../../agents.ts";
import { toast } from "../../announce.tsx";
import { auth, endSession, unwrap } from "../../auth.ts";
import { useLoad } from "../../load.ts";
import { ActionButton } from "../../ui/button.tsx";
import { Ago, Badge, Card, Skeleton, Time } from "../../ui/display.tsx";
import { LoadFault } from "../../ui/notice.tsx";
import { type Column, Table } from "../../ui/table.tsx";

type Session = {
  readonly id: string;
  readonly current: boolean;
  readonly agent: string;
  readonly ip: string;
  readonly created: string;
  readonly used: string;
};

async function listSessions(): Promise<readonly Session[]> {
  const [current, sessions] = await Promise.all([auth.getSession(), auth.listSessions()]);
  const here = unwrap(current)?.session.id;
  return (unwrap(sessions) ?? [])
    .map(({ id, userAgent, ipAddress, createdAt, updatedAt }) => ({
      id,
      current: id === here,
      agent: describeAgent(userAgent),
      ip: ipAddress || "unknown",
      created: new Date(createdAt).toISOString(),
      used: new Date(updatedAt).toISOString(),
    }))
    .sort((a, b) => Number(b.current) - Number(a.current) || b.used.localeCompare(a.used));
}

/** Where the person is signed in. */
export function SessionsCard() {
  const { data, error, reload } = useLoad(listSessions);
  const end = async (session: Session) => {
    await endSession(session.id);
    toast("The session has ended");
    reload();
  };
  const endOthers = async () => {
    unwrap(await auth.revokeOtherSessions());
    toast("All other sessions have ended");
    reload();
  };
  const columns: readonly Column<Session>[] = [
    {
      key: "agent",
      head: "Device",
      rowHead: true,
      cell: ({ agent, current }) => (
        <span class="row">
          {agent}
          {current && <Badge tone="ok">this one</Badge>}
        </span>
      ),
    },
    { key: "ip", head: "Address", cell: ({ ip }) => <span class="mono">{ip}</span> },
    { key: "created", head: "Signed in", cell: ({ created }) => <Time value={created} /> },
    { key: "used", head: "Last seen", cell: ({ used }) => <Ago value={used} /> },
    {
      key: "end",
      head: "Actions",
      unseenHead: true,
      align: "end",
      cell: (session) =>
        !session.current && (
          <ActionButton size="small" action={() => end(session)}>
            End
          </ActionButton>
        ),
    },
  ];
  return (
    <Card
      title="Sessions"
      hint="Where you are signed in. End any session you do not recognise, then change your password."
      flush
      actions={
        data !== undefined &&
        data.length > 1 && (
          <ActionButton size="small" action={endOthers}>
            End all other sessions
          </ActionButton>
        )
      }
    >
      {error !== undefined && <LoadFault error={error} retry={reload} />}
      {data === undefined && error === undefined && <Skeleton />}
      {data !== undefined && (
        <Table caption="Your sessions" columns={columns} rows={data} rowKey={({ id }) => id} />
      )}
    </Card>
  );
}
