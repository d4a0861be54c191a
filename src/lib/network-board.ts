import { type BoardPlace, boardBytes, SharedBoard } from "./shared-board.ts";

/** A network that is built anew runs beside the one before for a while, so each process has two places. */
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
  /** The last owner of each place, by half. */
  readonly #owners: (object | undefined)[] = [undefined, undefined];

  constructor(boards: WorkerBoards, name: string) {
    this.#boards = boards;
    this.#name = name;
    // The process that had these places before may have left its last facts.
    for (let half = 0; half < HALVES; half += 1) new SharedBoard(this.#place(half));
  }

  /** The place beside that one, or the first place. Its last owner writes no more. */
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
