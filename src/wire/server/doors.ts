import { readFileSync } from "node:fs";
import type { Server, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { addressOwner } from "../../lib/address-owner.ts";

export type DoorLimits = {
  /** Connections that may be open; absent: as many as the process has file descriptors for. */
  readonly maxConnections?: number | undefined;
  /** The most connections of one address, or IPv6 network of 64 bits; absent: half of all. */
  readonly maxConnectionsPerAddress?: number | undefined;
  /** File descriptors that are needed for something else. */
  readonly reserved: number;
};

export type DoorOptions = DoorLimits & {
  /** Whether connections of this address are many clients', as a proxy's are. */
  readonly isShared: (address: string) => boolean;
  readonly refused?: () => void;
};

/** Where nobody says how many files the process may have open. */
const USUAL_FILES = 1024;
/** More would be of no use to one process. */
const MOST = 50_000;
const LEAST = 16;

/**
 * Closes connections that are one too many, in all or of their address, before anything is read. Some file
 * descriptors stay free for nodes, the database and the admin port.
 */
export class Doors {
  readonly #options: DoorOptions;
  #most = 0;
  #mostOfAddress = 0;
  readonly #byAddress = new Map<string, number>();
  #open = 0;

  constructor(options: DoorOptions) {
    this.#options = options;
    this.limit(options);
  }

  /** The most that may be open, whatever was wished. */
  get most(): number {
    return this.#most;
  }

  /** From now on. Nobody who is in has to go. */
  limit({ maxConnections = MOST, maxConnectionsPerAddress, reserved }: DoorLimits): void {
    const room = Math.max(openFilesLimit() - reserved, LEAST);
    this.#most = Math.min(maxConnections, room);
    this.#mostOfAddress = maxConnectionsPerAddress ?? Math.ceil(this.#most / 2);
  }

  /** From now on the server's listeners are told of a connection only where there is room for it. */
  guard(server: Server): void {
    const listeners = server.listeners("connection") as ((socket: Socket) => void)[];
    server.removeAllListeners("connection");
    server.on("connection", (socket: Socket) => {
      if (!this.#admit(socket)) {
        this.#options.refused?.();
        socket.destroy();
        return;
      }
      for (const listener of listeners) listener.call(server, socket);
    });
  }

  /**
   * One that came through a proxy stays open, as WebSockets do: it counts for whom it is open, an
   * `addressOwner`. False where that one has too many.
   */
  admitFor(owner: string, socket: Duplex): boolean {
    const open = this.#byAddress.get(owner) ?? 0;
    if (open >= this.#mostOfAddress) return false;
    this.#byAddress.set(owner, open + 1);
    socket.once("close", () => this.#left(owner));
    return true;
  }

  #admit(socket: Socket): boolean {
    const { remoteAddress = "" } = socket;
    if (this.#open >= this.#most) return false;
    const isShared = this.#options.isShared(remoteAddress);
    if (!isShared && !this.admitFor(addressOwner(remoteAddress), socket)) return false;
    this.#open += 1;
    socket.once("close", () => {
      this.#open -= 1;
    });
    return true;
  }

  #left(owner: string): void {
    const left = (this.#byAddress.get(owner) ?? 1) - 1;
    if (left === 0) this.#byAddress.delete(owner);
    else this.#byAddress.set(owner, left);
  }
}

/** The limit of `ulimit -n`. */
function openFilesLimit(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "latin1");
    const [, files] = /^Max open files +(\d+|unlimited)/m.exec(limits) ?? [];
    return files === "unlimited" ? Number.POSITIVE_INFINITY : Number(files ?? USUAL_FILES);
  } catch {
    return USUAL_FILES;
  }
}
