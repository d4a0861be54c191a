import { type BoardPlace, boardBytes, SharedBoard } from "./shared-board.ts";

/** A network that is built anew stands beside the one before for a while: each process has two places. */
const HALVES = 2;

/** The boards of all networks in one file, one after the other; `indexOf` says which one is a network's. */
export type WorkerBoards = Pick<BoardPlace, "fd" | "processes" | "own" | "now"> & {
  readonly indexOf: (network: string) => number;
};

/** The bytes that the board of one network takes of the file. */
export function networkBoardBytes(processes: number): number {
  return boardBytes(processes * HALVES);
}

/**
 * The places of one network in this process, one after the other: of the network that is served and of the one that is
 * to take its place. So what one of them has told a client holds for all others.
 */
export class NetworkBoard {
  readonly #boards: WorkerBoards;
  readonly #name: string;
  /** Who has the place last, by its half. */
  readonly #owners: (object | undefined)[] = [undefined, undefined];

  constructor(boards: WorkerBoards, name: string) {
    this.#boards = boards;
    this.#name = name;
    // A process that had these places before has left a word of its own.
    for (let half = 0; half < HALVES; half += 1) new SharedBoard(this.#place(half));
  }

  /** The other place than that one, or the first. Whoever had it writes no more. */
  next(half: number | undefined): { readonly half: number; readonly place: BoardPlace } {
    const own = half === undefined ? 0 : 1 - half;
    const owner = {};
    this.#owners[own] = owner;
    const isTaken = () => this.#owners[own] !== owner;
    return { half: own, place: { ...this.#place(own), isTaken } };
  }

  #place(half: number): BoardPlace {
    const { fd, processes, own, now, indexOf } = this.#boards;
    const begin = indexOf(this.#name) * networkBoardBytes(processes);
    return { fd, begin, processes: processes * HALVES, own: own + half * processes, now };
  }
}
