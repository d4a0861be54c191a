/** An entry of a table: its key, the key's `textHash`, and a place for the table's own use. */
export type Tabled<Self> = {
  readonly key: string;
  readonly hash: number;
  nextInTable: Self | undefined;
};

const LEAST_BUCKETS = 64;
/** By chance no bucket in a billion has more: whoever makes hashes alike can make it so. */
const MOST_IN_BUCKET = 16;

/**
 * Items by text whose hash is known already. Not a Map, which takes a hash of its own of each text,
 * and of which one that is filled and emptied with each call makes its table anew again and again:
 * those that it outgrew keep the items until a full collection.
 */
export class TextTable<Item extends Tabled<Item>> {
  #buckets = new Array<Item | undefined>(LEAST_BUCKETS).fill(undefined);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The one with this key that came last; `hash` is the key's. */
  find(key: string, hash: number): Item | undefined {
    const buckets = this.#buckets;
    let item = buckets[hash & (buckets.length - 1)];
    while (item !== undefined && (item.hash !== hash || item.key !== key)) item = item.nextInTable;
    return item;
  }

  /** Whether so many share the place of this hash that one more would make finding them slow. */
  isCrowded(hash: number): boolean {
    let item = this.#buckets[hash & (this.#buckets.length - 1)];
    let count = 0;
    for (; item !== undefined && count < MOST_IN_BUCKET; item = item.nextInTable) count += 1;
    return count === MOST_IN_BUCKET;
  }

  /** Beside others with its key, if there are any. */
  add(item: Item): void {
    if (this.#size >= this.#buckets.length) this.#grow();
    this.#put(item);
    this.#size += 1;
  }

  /** It is in the table. */
  remove(item: Item): void {
    const buckets = this.#buckets;
    const place = item.hash & (buckets.length - 1);
    const first = buckets[place];
    if (first === item) buckets[place] = item.nextInTable;
    else {
      let before = first;
      while (before !== undefined && before.nextInTable !== item) before = before.nextInTable;
      if (before !== undefined) before.nextInTable = item.nextInTable;
    }
    // One that the collector has not found yet must not keep those after it.
    item.nextInTable = undefined;
    this.#size -= 1;
  }

  #put(item: Item): void {
    const place = item.hash & (this.#buckets.length - 1);
    item.nextInTable = this.#buckets[place];
    this.#buckets[place] = item;
  }

  #grow(): void {
    const before = this.#buckets;
    this.#buckets = new Array<Item | undefined>(2 * before.length).fill(undefined);
    // The newest of each key stays the first.
    for (const first of before) for (const item of chained(first).reverse()) this.#put(item);
  }
}

function chained<Item extends Tabled<Item>>(first: Item | undefined): Item[] {
  const items: Item[] = [];
  for (let item = first; item !== undefined; item = item.nextInTable) items.push(item);
  return items;
}
