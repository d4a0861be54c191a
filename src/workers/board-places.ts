import { closeSync, writeSync } from "node:fs";
import { networkBoardBytes } from "../lib/network-board.ts";
import { openBoardFile } from "../lib/shared-board.ts";

/** Names of networks that a reload may add. Pages of the file that nobody writes take no memory. */
export const SPARE = 256;

/** The place of each network's board in the file, by the network's name. */
export type BoardIndexes = Readonly<Record<string, number>>;

/** The file in which workers tell each other of heads: one board for each name of a network. */
export class BoardPlaces {
  readonly file: number;
  readonly #places: number;
  readonly #bytes: number;
  indexes: BoardIndexes;

  /** @throws the system's error where no file can be made */
  constructor(names: readonly string[], processes: number) {
    this.#places = names.length + SPARE;
    this.#bytes = networkBoardBytes(processes);
    this.file = openBoardFile(this.#places * this.#bytes);
    this.indexes = Object.fromEntries(names.map((name, index) => [name, index]));
  }

  /** Places for these networks; undefined where there are too few. */
  prepare(names: readonly string[]): BoardIndexes | undefined {
    const used = new Set(Object.values(this.indexes));
    const free = [...Array(this.#places).keys()].filter((index) => !used.has(index));
    const placed = names.map((name): [string, number | undefined] => [
      name,
      this.indexes[name] ?? this.#cleared(free.shift()),
    ]);
    if (placed.some(([, index]) => index === undefined)) return undefined;
    return Object.fromEntries(placed) as BoardIndexes;
  }

  close(): void {
    closeSync(this.file);
  }

  /** Workers may have written there of a network that is gone. */
  #cleared(index: number | undefined): number | undefined {
    if (index === undefined) return undefined;
    writeSync(this.file, Buffer.alloc(this.#bytes), 0, this.#bytes, index * this.#bytes);
    return index;
  }
}
