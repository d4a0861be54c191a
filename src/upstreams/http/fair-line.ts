import { type Exchange, ExchangeLine } from "./exchange.ts";

/** What waits of one account: its keys take turns. */
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

/**
 * Exchanges that wait for a connection. The gateway's own questions go first. Accounts take turns, and
 * so do the keys of each: however many calls one sends, others wait for one of them at most.
 */
export class FairLine {
  size = 0;
  readonly #own = new ExchangeLine();
  /** In the order of their turns. */
  readonly #accounts = new Map<string, AccountLine>();

  /** How many of the gateway's own wait. */
  get ownSize(): number {
    return this.#own.size;
  }

  get first(): Exchange | undefined {
    if (this.#own.first !== undefined) return this.#own.first;
    for (const line of this.#accounts.values()) return line.first;
    return undefined;
  }

  /** How many are carried before one more of this account, at most. */
  ahead(account: string): number {
    const own = this.#accounts.get(account)?.size ?? 0;
    const others = this.#accounts.size - (own > 0 ? 1 : 0);
    return Math.min(this.size, own + (own + 1) * others);
  }

  push(exchange: Exchange): void {
    this.size += 1;
    const { account } = exchange;
    if (account === undefined) {
      this.#own.push(exchange);
      return;
    }
    let line = this.#accounts.get(account);
    if (line === undefined) {
      line = new AccountLine();
      this.#accounts.set(account, line);
    }
    line.push(exchange);
  }

  shiftOwn(): Exchange | undefined {
    const first = this.#own.shift();
    if (first !== undefined) this.size -= 1;
    return first;
  }

  shift(): Exchange | undefined {
    const own = this.shiftOwn();
    if (own !== undefined) return own;
    for (const [account, line] of this.#accounts) {
      const first = line.shift();
      this.#accounts.delete(account);
      if (line.size > 0) this.#accounts.set(account, line);
      this.size -= 1;
      return first;
    }
    return undefined;
  }

  /** Takes out the last of the account of which most wait, where more do than of this one. */
  popHeavier(account: string): Exchange | undefined {
    let heaviest: AccountLine | undefined;
    let name = account;
    for (const [each, line] of this.#accounts) {
      if (heaviest === undefined || line.size > heaviest.size) [heaviest, name] = [line, each];
    }
    const own = this.#accounts.get(account)?.size ?? 0;
    if (heaviest === undefined || heaviest.size <= own + 1) return undefined;
    const last = heaviest.pop();
    if (last !== undefined) this.size -= 1;
    if (heaviest.size === 0) this.#accounts.delete(name);
    return last;
  }

  delete(exchange: Exchange): void {
    const { account } = exchange;
    if (account === undefined) {
      if (this.#own.delete(exchange)) this.size -= 1;
      return;
    }
    const line = this.#accounts.get(account);
    if (line?.delete(exchange) !== true) return;
    this.size -= 1;
    if (line.size === 0) this.#accounts.delete(account);
  }
}
