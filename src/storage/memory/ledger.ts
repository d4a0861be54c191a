import {
  type Day,
  type DayBalance,
  DEAREST_CALL_CREDITS,
  type GivenBack,
  type Grant,
  type LedgerStore,
  SHARE_OF_REST,
  type TakeRequest,
} from "../ledger-store.ts";
import { Shares } from "./shares.ts";
import { ToldLeases } from "./told-leases.ts";

/** A holder, or another process, that was not seen for so long has left the row. */
const SHARED_MS = 2000;
/** A request that waited for a lock is at most so late; what is further back is a clock that was set. */
const LATE_MS = 6000;

/** The last process that took, and the token bucket; `level` in thousandths of a credit, as of `at`. */
type Sharing = {
  readonly holder: string;
  readonly holderAt: number;
  readonly otherAt: number;
  readonly level: number;
  readonly at: number;
};

type Row = {
  used: number;
  added: number;
  sharing: Sharing | undefined;
  pool: number | null;
  /** The pool that its first take named, and that it does not share. */
  spareOf: number | null;
};

/** What one process took and gave back: of each owner its last take, of each day the series. */
type Taken = { number: number; day: Day; granted: number; reserved: number; waitMs: number };
type Series = { series: number; total: number };

/** The ledger in memory; every method but `check` is carried out at once, so a debit is one step. */
export function memoryLedger(check: () => void): LedgerStore {
  const owners = new Map<string, Map<Day, Row>>();
  const daysOf = (owner: string): Map<Day, Row> => {
    const days = owners.get(owner) ?? new Map<Day, Row>();
    owners.set(owner, days);
    return days;
  };
  const takes = new Map<string, Taken>();
  const seriesOf = new Map<string, Series>();
  const told = new ToldLeases();
  const shares = new Shares();
  return {
    take: async (request) => {
      check();
      const { owner, day, process, number } = request;
      const days = daysOf(owner);
      const taken = takes.get(`${process} ${owner}`);
      if (taken !== undefined && taken.number >= number) {
        const grant = repeated(taken, request, days);
        if (taken.number > number) return grant;
        told.tell(request, grant.day, grant.granted + taken.reserved);
        return { ...grant, ...shares.give(request, grant.shared, levelOf(days, day)) };
      }
      const sharing = newestSharing(days, day);
      const row = rowOf(days, day);
      if (row.sharing === undefined) open(row, request, days);
      const elsewhere = usedElsewhere(days, row);
      const givenOut = shares.givenOut(owner, request.now);
      const grant = { day, ...debit(row, request, { last: sharing, elsewhere, givenOut }) };
      const { granted, waitMs } = grant;
      const reserved = Math.min(request.reserve ?? 0, Math.floor(grant.left / SHARE_OF_REST));
      row.used += reserved;
      takes.set(`${process} ${owner}`, { number, day, granted, reserved, waitMs });
      told.tell(request, day, granted + reserved);
      const left = grant.left - reserved;
      const share = shares.give(request, grant.shared, levelOf(days, day));
      return { ...grant, ...withReserve(reserved), ...share, left };
    },
    giveBack: async (given) => {
      check();
      const credits = more(seriesOf, given);
      told.giveBack(given, credits);
      const row = owners.get(given.owner)?.get(given.day);
      if (row !== undefined && credits > 0) takeBack(row, credits, given.keepsThroughput);
    },
    add: async (owner, day, credits) => {
      check();
      const row = rowOf(daysOf(owner), day);
      row.added += credits;
      return balance(daysOf(owner), day);
    },
    read: async (owner, day, now) => {
      check();
      const { used, added } = balance(daysOf(owner), day);
      return { used: Math.max(0, used - told.unspent(owner, day, now)), added };
    },
    repair: async (repaired, day) => {
      check();
      const forgotten = repaired.flatMap((owner) => {
        const days = daysOf(owner);
        const later = [...days].filter(([each]) => each > day);
        for (const [each] of later) days.delete(each);
        for (const row of days.values()) row.pool = null;
        return later.map(([each, { used }]) => ({ owner, day: each, used }));
      });
      return forgotten.sort((a, b) => a.day - b.day);
    },
    check: async () => check(),
  };
}

function takeBack(row: Row, credits: number, keepsThroughput = false): void {
  const returned = Math.min(row.used, credits);
  row.used -= returned;
  const level = keepsThroughput ? 0 : returned * 1000;
  if (row.sharing) row.sharing = { ...row.sharing, level: row.sharing.level + level };
}

function rowOf(days: Map<Day, Row>, day: Day): Row {
  const fresh = { used: 0, added: 0, sharing: undefined, pool: null, spareOf: null };
  const row = days.get(day) ?? fresh;
  days.set(day, row);
  return row;
}

/** The credits that the total has more than before. */
function more(seriesOf: Map<string, Series>, given: GivenBack): number {
  const { owner, day, process, series, total } = given;
  const name = `${process} ${owner} ${day}`;
  const known = seriesOf.get(name) ?? { series: 0, total: 0 };
  const before = series > known.series ? 0 : known.total;
  if (series < known.series || total <= before) return 0;
  seriesOf.set(name, { series, total });
  return total - before;
}

const withReserve = (reserved: number) => (reserved > 0 ? { reserved } : {});

function repeated(taken: Taken, request: TakeRequest, days: ReadonlyMap<Day, Row>): Grant {
  const isSame = taken.number === request.number;
  const day = isSame ? taken.day : request.day;
  const { used, added } = balance(days, day);
  const sharing = days.get(day)?.sharing;
  return {
    day,
    granted: isSame ? taken.granted : 0,
    ...withReserve(isSame ? taken.reserved : 0),
    left: Math.max(request.limit + added - used, 0),
    waitMs: isSame ? taken.waitMs : 0,
    shared: sharing !== undefined && isRecent(sharing.otherAt, sharing.at),
  };
}

/** The first take of a day decides whether it has a balance of its own. */
function open(row: Row, { pool, spare = 0 }: TakeRequest, days: ReadonlyMap<Day, Row>): void {
  const taken = [...days.values()].filter((each) => pool !== null && each.spareOf === pool);
  const isSpare = pool !== null && taken.length < spare;
  row.pool = isSpare ? null : pool;
  row.spareOf = isSpare ? pool : null;
}

function balance(days: ReadonlyMap<Day, Row>, day: Day): DayBalance {
  const row = days.get(day);
  if (row === undefined) return { used: 0, added: 0 };
  return { used: row.used + usedElsewhere(days, row), added: row.added };
}

/** The use of a shared balance by other days. */
function usedElsewhere(days: ReadonlyMap<Day, Row>, row: Row): number {
  if (row.pool === null) return 0;
  const others = [...days.values()].filter((each) => each !== row && each.pool === row.pool);
  return others.reduce((sum, { used, added }) => sum + Math.max(used - added, 0), 0);
}

/** The bucket of the newest day that was taken from: the next day begins with it. */
function newestSharing(days: ReadonlyMap<Day, Row>, upTo: Day): Sharing | undefined {
  const taken = [...days].filter(([day, { sharing }]) => day <= upTo && sharing !== undefined);
  return taken.sort(([a], [b]) => b - a)[0]?.[1].sharing;
}

type Beside = {
  readonly last: Sharing | undefined;
  /** Credits that other days used of the balance. */
  readonly elsewhere: number;
  /** Credits per second that processes have as shares. */
  readonly givenOut: number;
};

const levelOf = (days: ReadonlyMap<Day, Row>, day: Day): number =>
  days.get(day)?.sharing?.level ?? 0;

function debit(
  row: Row,
  request: TakeRequest,
  { last, elsewhere, givenOut }: Beside,
): Omit<Grant, "day"> {
  const { least, limit, perSecond, process, now } = request;
  const want = Math.max(request.want, least);
  const late = last !== undefined && last.at >= now && last.at <= now + LATE_MS;
  const moment = late ? last.at : now;
  const seats = join(last, process, moment);
  const shared = isRecent(seats.otherAt, moment);
  const rate = shared ? perSecond - givenOut : perSecond;
  const full = rate * 1000;
  const refill = last && last.level + Math.max(moment - last.at, 0) * rate;
  // Credits that were drawn at a larger rate than today's are not waited for.
  const lowest = Math.min(-perSecond, perSecond - DEAREST_CALL_CREDITS) * 1000;
  const level = Math.min(full, Math.max(refill ?? full, lowest));

  const rest = limit + row.added - row.used - elsewhere;
  const most = shared ? Math.min(want, Math.max(least, Math.floor(perSecond / 10))) : want;
  const offered =
    rest < least ? 0 : Math.min(most, Math.max(least, Math.floor(rest / SHARE_OF_REST)));
  const missing = Math.min(least, rate) * 1000 - level;
  const held = missing > 0 ? 0 : Math.max(least, Math.floor(level / 1000));
  const granted = shared ? Math.min(offered, held) : offered;

  row.used += granted;
  const drawn = level - granted * 1000;
  // One that takes alone is not held to the bucket, and one that joins it must not wait for long.
  const below = shared ? drawn : Math.max(drawn, Math.min(level, -perSecond * 1000));
  row.sharing = { ...seats, level: below, at: moment };
  return {
    granted,
    left: Math.max(rest - granted, 0),
    waitMs: granted < offered && missing > 0 ? Math.ceil(missing / rate) : 0,
    shared,
  };
}

const isRecent = (at: number, moment: number): boolean => at > moment - SHARED_MS && at <= moment;

/** The row remembers one holder, and when any other process took. */
function join(
  last: Sharing | undefined,
  process: string,
  moment: number,
): Pick<Sharing, "holder" | "holderAt" | "otherAt"> {
  const otherAt = last?.otherAt ?? Number.NEGATIVE_INFINITY;
  const beside = last && last.holder !== process && isRecent(last.holderAt, moment);
  if (!beside) return { holder: process, holderAt: moment, otherAt };
  return { holder: last.holder, holderAt: last.holderAt, otherAt: moment };
}
