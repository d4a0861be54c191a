import { useMemo } from "preact/hooks";
import type { Balance } from "../../../../src/console/contract/accounts.ts";
import { formatNumber, formatShare } from "../../format.ts";
import type { LiveState } from "../../live.ts";
import { formatSpan, useNow } from "../../time.ts";
import { Card, LiveMark, Progress, Stat, Stats, Time } from "../../ui/display.tsx";

type BalanceCardProps = { readonly balance: Balance; readonly live: LiveState };

/** The credits of the day: what is used, how long the rest lasts, when new ones come. */
export function BalanceCard({ balance, live }: BalanceCardProps) {
  const { used, limit, left } = balance;
  const share = limit === 0 ? 1 : used / limit;
  const text = `${formatNumber(used)} of ${formatNumber(limit)} credits used`;
  return (
    <Card
      title="Credits today"
      hint="Used includes credits that running gateways have reserved for upcoming calls; unspent ones are returned."
      actions={<LiveMark state={live} />}
    >
      <Progress label="Credits of the day" share={share} text={text} />
      <Stats>
        <Stat
          label="Used"
          value={formatNumber(used)}
          note={`of ${formatNumber(limit)} · ${formatShare(share)}`}
        />
        <Stat
          label="Left"
          value={formatNumber(left)}
          {...(left === 0 ? { tone: "danger" as const } : {})}
          note={left === 0 ? "calls are refused until the reset" : "for the rest of the UTC day"}
        />
        <Stat
          label="Runs out at this pace"
          value={<Ends balance={balance} />}
          note={<Pace balance={balance} />}
        />
        <Stat label="Resets in" value={<Countdown balance={balance} />} note="at 00:00 UTC" />
      </Stats>
    </Card>
  );
}

function Ends({ balance: { endsAt, left } }: { readonly balance: Balance }) {
  const now = useNow(10_000);
  if (left === 0) return <>now</>;
  if (endsAt === null) return <>not today</>;
  return <>in {formatSpan((Date.parse(endsAt) - now) / 1000)}</>;
}

function Pace({ balance: { endsAt, left, perMinute } }: { readonly balance: Balance }) {
  return (
    <>
      {endsAt !== null && left > 0 && <Time value={endsAt} style="clock" />}
      {formatNumber(perMinute)} credits a minute over the last 15 min
    </>
  );
}

/** Counts from the server's number: this device's clock may be wrong. */
function Countdown({ balance }: { readonly balance: Balance }) {
  const resetAt = useMemo(() => Date.now() + balance.resetSeconds * 1000, [balance]);
  const now = useNow(1000);
  return <span class="countdown">{formatSpan((resetAt - now) / 1000)}</span>;
}
