/** Tells once when the store begins to fail, and again only after it had answered. */
export class StoreHealth {
  readonly #onFailure: (error: unknown) => void;
  #failing = false;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  answered(): void {
    this.#failing = false;
  }

  failed(error: unknown): void {
    if (!this.#failing) this.#onFailure(error);
    this.#failing = true;
  }
}
