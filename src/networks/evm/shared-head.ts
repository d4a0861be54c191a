import type { MonotonicMs } from "../../lib/clock.ts";
import type { SharedBoard } from "../../lib/shared-board.ts";
import type { BlockHeader, TrackedUpstream } from "../tracked-upstream.ts";
import type { HeadView } from "./head-view.ts";
import type { Head } from "./primary-head.ts";
import type { Standing } from "./standing.ts";

/** A worker's head, written before anybody is told of it. Times count alike in all processes. */
export type HeadClaim = {
  /**
   * Counts the reorganisations over all workers: of two claims that contradict each other, the one of
   * the later term holds.
   */
  readonly term: number;
  readonly number: number;
  /** Absent while only an answer has shown that the block exists. */
  readonly header?: BlockHeader | undefined;
  /** The name of an upstream that has the block; absent: none that is known. */
  readonly upstream?: string | undefined;
  /** When that upstream was asked for it; absent where it told by itself. */
  readonly askedMs?: number | undefined;
  /** It was true at some moment before. */
  readonly writtenMs: number;
};

export type SharedHeadParts = {
  readonly board: SharedBoard<HeadClaim>;
  readonly view: HeadView;
  readonly upstreams: readonly TrackedUpstream[];
  readonly clock: { readonly monotonic: () => number };
  /** By how much the clock of all processes is ahead of `clock`, milliseconds. */
  readonly aheadMs: number;
  /** The view was given another head of this upstream. */
  readonly reported: (upstream: TrackedUpstream) => void;
};

/** Workers that cannot agree, because a node answers to one of them alone, serve what each knows. */
const GIVE_UP_MS = 1000;

/**
 * One network's head over all workers of a gateway: what one has told a client holds for whoever asks
 * another one afterwards. Each writes its head down before it tells it, and looks at the heads of the
 * others before it answers. A block in place of one that another worker has written down is written
 * down, and told, only if a node was asked for it after that: else nobody knows which is the newer.
 */
export class SharedHead {
  readonly #parts: SharedHeadParts;
  #term = 0;
  #written: Head | undefined;
  #own: HeadClaim | undefined;
  /** The tip that a node was last asked to confirm, of the view's chain. */
  #sure: { readonly tip: BlockHeader; readonly askedMs: number } | undefined;
  /** The highest head that was replaced since then by a reorganisation; -1: there was none. */
  #replaced = -1;
  /** With these claims and this head it was in step. */
  #agreed: readonly HeadClaim[] | undefined;
  #agreedHead: Head | undefined;
  #behindSinceMs: MonotonicMs | undefined;
  /** Within `atOnce`: what was found for all calls of the message. */
  #found: boolean | undefined;
  #isAtOnce = false;

  constructor(parts: SharedHeadParts) {
    this.#parts = parts;
    parts.view.subscribe(({ kind, from }) => {
      if (kind === "reorg") this.#replaced = Math.max(this.#replaced, from);
      this.#write(parts.board.read());
    });
  }

  /** The calls that it runs arrived together: one look at the other workers is enough for them. */
  atOnce(run: () => void): void {
    this.#isAtOnce = true;
    this.#found = undefined;
    try {
      run();
    } finally {
      this.#isAtOnce = false;
    }
  }

  /**
   * Whether the view has all that other workers have told of the chain until now. Where it has not, it
   * is told of their heads, and nodes have to be asked; true after a second all the same.
   */
  isInStep(): boolean {
    if (!this.#isAtOnce) return this.#look();
    this.#found ??= this.#look();
    return this.#found;
  }

  #look(): boolean {
    const { board, view, clock } = this.#parts;
    const claims = board.read();
    if (claims === this.#agreed && view.head === this.#agreedHead) return true;
    // Another change must not come between two listeners of one: it is seen a moment later.
    if (!view.listeners.isTelling) for (const claim of claims) this.#follow(claim, claims);
    this.#write(claims);
    const term = Math.max(this.#term, termOf(claims));
    const isInStep = claims.every((claim) => claim.term < term || this.#holds(claim));
    if (isInStep && this.#written === view.head) {
      this.#term = term;
      this.#agreed = claims;
      this.#agreedHead = view.head;
      this.#behindSinceMs = undefined;
      return true;
    }
    this.#agreed = undefined;
    const now = clock.monotonic();
    this.#behindSinceMs ??= now;
    return now - this.#behindSinceMs >= GIVE_UP_MS;
  }

  /** Tells the view of another worker's head, as if the upstream had told it here. */
  #follow(claim: HeadClaim, claims: readonly HeadClaim[]): void {
    const { view, upstreams, aheadMs, reported } = this.#parts;
    const { number, header, term, askedMs } = claim;
    if (term < Math.max(this.#term, termOf(claims)) || this.#holds(claim)) return;
    const upstream = upstreams.find(({ name }) => name === claim.upstream);
    if (upstream === undefined) return;
    if (header === undefined) {
      view.seen(upstream, number);
      return;
    }
    // Which of two blocks of one term is the newer, the node has to say.
    if (term === this.#term && view.isOurs(header) === false) return;
    const own = view.standings.find((standing) => standing.upstream === upstream);
    if (own?.tip?.hash === header.hash) return;
    view.report(upstream, header, askedMs === undefined ? undefined : askedMs - aheadMs);
    reported(upstream);
  }

  /** Whether the view knows this head and what follows it, or something newer in its place. */
  #holds(claim: HeadClaim): boolean {
    if (claim.number > (this.#parts.view.head?.number ?? -1)) return false;
    return this.#agrees(claim) || this.#isNewerThan(claim);
  }

  /** Whether its block is known to be of the view's chain. */
  #agrees({ header }: HeadClaim): boolean {
    return header === undefined || this.#parts.view.isOurs(header) === true;
  }

  /** Writes the head down, unless it may be older than what another worker has written. */
  #write(claims: readonly HeadClaim[]): void {
    const { board, view, clock, aheadMs } = this.#parts;
    const { head } = view;
    if (head === undefined || head === this.#written) return;
    // An older word of a node may come after a newer one, on another connection.
    const all = this.#own === undefined ? claims : [...claims, this.#own];
    const rivals = all.filter(
      (claim) => claim.term >= this.#term && (claim.number > head.number || !this.#agrees(claim)),
    );
    if (rivals.some((claim) => this.#mayBeBehind(claim, head))) return;
    const isNew = this.#replaced >= 0 || rivals.length > 0;
    this.#term = Math.max(this.#term, termOf(claims)) + (isNew ? 1 : 0);
    this.#written = head;
    this.#replaced = -1;
    const source = this.#source();
    const askedMs = source?.askedMs;
    this.#own = {
      term: this.#term,
      number: head.number,
      header: view.headHeader,
      upstream: source?.upstream.name,
      askedMs: askedMs === undefined ? undefined : askedMs + aheadMs,
      writtenMs: clock.monotonic() + aheadMs,
    };
    board.write(this.#own);
  }

  /** Whether a claim that contradicts the head may be newer than it. */
  #mayBeBehind(claim: HeadClaim, head: Head): boolean {
    // A lower head is a newer one only where it came in place of one that was as high.
    return claim.number > Math.max(head.number, this.#replaced) || !this.#isNewerThan(claim);
  }

  /** Whether a node that was asked after the claim was written has the view's chain up to its number. */
  #isNewerThan({ number, writtenMs }: HeadClaim): boolean {
    const { view, aheadMs } = this.#parts;
    for (const { tip, askedMs, upstream } of view.standings) {
      if (askedMs === undefined || tip === undefined || view.isOurs(tip) !== true) continue;
      const isLater = askedMs > (this.#sure?.askedMs ?? Number.NEGATIVE_INFINITY);
      if (isLater && !upstream.isForked) this.#sure = { tip, askedMs };
    }
    // After a reorganisation to a lower head nothing is there above it.
    const least = Math.min(number, view.head?.number ?? -1);
    if (this.#sure === undefined || this.#sure.tip.number < least) return false;
    return view.isOurs(this.#sure.tip) === true && this.#sure.askedMs + aheadMs > writtenMs;
  }

  /** An upstream that has the head: one that told of it or of what follows, if any did. */
  #source(): Pick<Standing, "upstream" | "askedMs"> | undefined {
    const { view } = this.#parts;
    const number = view.head?.number ?? 0;
    const have = view.standings.filter(
      ({ tip, proven, upstream }) => tip !== undefined && !upstream.isForked && proven >= number,
    );
    // Nobody knows whether a tip follows the head before it is joined to the chain.
    const told = have.find(
      ({ tip }) => tip !== undefined && tip.number >= number && view.isOurs(tip) === true,
    );
    return told ?? have.map(({ upstream }) => ({ upstream, askedMs: undefined }))[0];
  }
}

function termOf(claims: readonly HeadClaim[]): number {
  return claims.reduce((term, claim) => Math.max(term, claim.term), 0);
}
