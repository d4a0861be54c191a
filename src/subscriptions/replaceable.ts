/** A source that listeners follow. When another source takes its place, the listeners follow that one. */
export class Replaceable<Source> {
  readonly #follow: (source: Source, changed: () => void) => () => void;
  /** What ends following the source, by listener. */
  readonly #followers = new Map<() => void, () => void>();
  #now: Source;

  /** `follow` calls `changed` after each change of a source, and returns what ends that. */
  constructor(source: Source, follow: (source: Source, changed: () => void) => () => void) {
    this.#now = source;
    this.#follow = follow;
  }

  get now(): Source {
    return this.#now;
  }

  /** `changed` is called after each change, and where the source is replaced. Returns what ends it. */
  follow(changed: () => void): () => void {
    const own = () => changed();
    this.#followers.set(own, this.#follow(this.#now, own));
    return () => {
      this.#followers.get(own)?.();
      this.#followers.delete(own);
    };
  }

  replace(source: Source): void {
    this.#now = source;
    for (const [changed, stop] of this.#followers) {
      stop();
      this.#followers.set(changed, this.#follow(source, changed));
    }
    for (const changed of [...this.#followers.keys()]) changed();
  }
}
