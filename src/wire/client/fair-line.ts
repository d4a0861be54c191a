import { type Exchange, ExchangeLine } from "./exchange.ts";

/** The waiting exchanges of one account: its keys take turns. */
class AccountLine {
  size = 0;
  /** In the order of their turns. */
  readonly #keys = new Map<string, ExchangeLine>();

  push(exchange: Exchange): void {
    let line = this.#keys.get(exchange.key);
    if (line === undefined) {
      line = new ExchangeLine();
      this.#keys.set(exchange.key, line);
    }
    line.push(exchange);
    this.size += 1;
  }

  get first(): Exchange | undefined {
    for (const line of this.#keys.values()) return line.first;
    return undefined;
  }

  shift(): Exchange | undefined {
    for (const [key, line] of this.#keys) {
      const first = line.shift();
      this.#keys.delete(key);
      if (line.size > 0) this.#keys.set(key, line);
      this.size -= 1;
      return first;
    }
    return undefined;
  }

  /** The last one of the key of which most wait. */
  pop(): Exchange | undefined {
    let longest: ExchangeLine | undefined;
    for (const line of this.#keys.values()) {
      if (longest === undefined || line.size > longest.size) longest = line;
    }
    const last = longest?.last;
    if (last !== undefined) this.delete(last);
    return last;
  }

  delete(exchange: Exchange): boolean {
    const line = this.#keys.get(exchange.key);
    if (line === undefined || !line.delete(exchange)) return false;
    this.size -= 1;
    if (line.size === 0) this.#keys.delete(exchange.key);
    return true;
  }
}

const anyone = () => true;

/**
 * Exchanges that wait for a connection. The gateway's own questions go first. Accounts take turns, and
 * so do the keys of each: however many calls one sends, others wait for one of them at most. Who begins
 * to wait goes before all that were served meanwhile; who comes back before its next turn does not
 * (as in FQ-CoDel, RFC 8290, 4.1), or many small accounts would leave nothing to the others.
 */
export class FairLine {
  size = 0;
  readonly #own = new ExchangeLine();
  /** Accounts that wait for their first turn; something waits of each. */
  readonly #fresh = new Map<string, AccountLine>();
  /** Those that had one, in the order of their next; of `#idle` ones nothing waits. */
  readonly #served = new Map<string, AccountLine>();
  #idle = 0;

  /** How many of the gateway's own wait. */
  get ownSize(): number {
    return this.#own.size;
  }

  get first(): Exchange | undefined {
    if (this.#own.first !== undefined) return this.#own.first;
    for (const line of this.#fresh.values()) return line.first;
    for (const line of this.#served.values()) if (line.size > 0) return line.first;
    return undefined;
  }

  /** How many are carried before one more of this account, at most. */
  ahead(account: string): number {
    const line = this.#lineOf(account);
    if (line === undefined) return this.#fresh.size;
    const waiting = this.#fresh.size + this.#served.size - this.#idle;
    const others = waiting - (line.size > 0 ? 1 : 0);
    return Math.min(this.size, line.size + (line.size + 1) * others);
  }

  push(exchange: Exchange): void {
    this.size += 1;
    const { account } = exchange;
    if (account === undefined) {
      this.#own.push(exchange);
      return;
    }
    let line = this.#lineOf(account);
    if (line === undefined) {
      line = new AccountLine();
      this.#fresh.set(account, line);
    } else if (line.size === 0) this.#idle -= 1;
    line.push(exchange);
  }

  shiftOwn(): Exchange | undefined {
    const first = this.#own.shift();
    if (first !== undefined) this.size -= 1;
    return first;
  }

  /** The next one. An account that `mayServe` refuses keeps its turn. */
  shift(mayServe: (account: string) => boolean = anyone): Exchange | undefined {
    const own = this.shiftOwn();
    if (own !== undefined) return own;
    for (const [account, line] of this.#fresh) {
      if (!mayServe(account)) continue;
      this.#fresh.delete(account);
      return this.#serve(account, line);
    }
    let isPassed = false;
    for (const [account, line] of this.#served) {
      if (line.size === 0) {
        if (isPassed) continue;
        this.#served.delete(account);
        this.#idle -= 1;
      } else if (mayServe(account)) {
        this.#served.delete(account);
        return this.#serve(account, line);
      } else isPassed = true;
    }
    return undefined;
  }

  #serve(account: string, line: AccountLine): Exchange | undefined {
    const first = line.shift();
    this.size -= 1;
    this.#served.set(account, line);
    if (line.size === 0) this.#idle += 1;
    // Nobody waits, so nobody has to be kept from going before others.
    if (this.size === 0) {
      this.#served.clear();
      this.#idle = 0;
    }
    return first;
  }

  /** Takes out the last of the account of which most wait, where more do than of this one. */
  popHeavier(account: string): Exchange | undefined {
    let heaviest: AccountLine | undefined;
    for (const lines of [this.#fresh, this.#served]) {
      for (const line of lines.values()) {
        if (heaviest === undefined || line.size > heaviest.size) heaviest = line;
      }
    }
    const own = this.#lineOf(account)?.size ?? 0;
    // At least one of its exchanges has to be left.
    if (heaviest === undefined || heaviest.size <= own + 1) return undefined;
    this.size -= 1;
    return heaviest.pop();
  }

  delete(exchange: Exchange): void {
    const { account } = exchange;
    if (account === undefined) {
      if (this.#own.delete(exchange)) this.size -= 1;
      return;
    }
    const line = this.#lineOf(account);
    if (line?.delete(exchange) !== true) return;
    this.size -= 1;
    if (line.size === 0 && !this.#fresh.delete(account)) this.#idle += 1;
  }

  #lineOf(account: string): AccountLine | undefined {
    return this.#fresh.get(account) ?? this.#served.get(account);
  }
}
