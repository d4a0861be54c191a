import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./written.ts";

/**
 * A file system that can be filled while a process works on it. Where a tmpfs may be mounted, that is
 * one in a mount namespace of the process alone: it is gone when the process ends, however it ends.
 * Elsewhere it is a folder, and "full" is a limit on the sizes of the files that the process writes.
 */
export type SmallDisk = {
  /** Empty; what is written into it before the process starts is on its disk. */
  readonly folder: string;
  /** The command with what has to stand before it. Its process is the one that is started. */
  readonly command: (argv: readonly string[]) => readonly [file: string, ...args: string[]];
  /** Where others find the files of the process. */
  readonly folderOf: (pid: number) => string;
  readonly fill: (pid: number) => void;
  readonly makeRoom: (pid: number) => void;
};

const MOUNT = [
  'cp -a "$1" "$1.copy" && mount -t tmpfs -o size="$0" tmpfs "$1"',
  'cp -a "$1.copy/." "$1" && shift && exec "$@"',
].join(" && ");

/** `sizeBytes` is the room on the disk, where it is one. */
export function smallDisk(sizeBytes: number): SmallDisk {
  const folder = join(temporaryFolder("small-disk"), "disk");
  execFileSync("mkdir", [folder]);
  const unshare = ["-m", "-rm"].find(mayMount);
  return unshare === undefined ? limitedFolder(folder) : ownMount(folder, unshare, sizeBytes);
}

function mayMount(flags: string): boolean {
  return spawnSync("unshare", [flags, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;
}

function ownMount(folder: string, flags: string, sizeBytes: number): SmallDisk {
  const folderOf = (pid: number) => join(`/proc/${pid}/root`, folder);
  const filler = (pid: number) => join(folderOf(pid), "filler");
  return {
    folder,
    command: (argv) => ["unshare", flags, "sh", "-c", MOUNT, String(sizeBytes), folder, ...argv],
    folderOf,
    fill: (pid) => {
      // To the last page.
      for (let bytes = 1 << 20; bytes > 0; bytes = Math.floor(bytes / 2)) {
        while (appended(filler(pid), bytes));
      }
    },
    makeRoom: (pid) => rmSync(filler(pid), { force: true }),
  };
}

function appended(file: string, bytes: number): boolean {
  try {
    appendFileSync(file, Buffer.alloc(bytes));
    return true;
  } catch {
    return false;
  }
}

function limitedFolder(folder: string): SmallDisk {
  const limit = (pid: number, size: string) =>
    execFileSync("prlimit", ["--pid", String(pid), `--fsize=${size}:`]);
  return {
    folder,
    command: ([file = "", ...args]) => [file, ...args],
    folderOf: () => folder,
    fill: (pid) => limit(pid, "1"),
    makeRoom: (pid) => limit(pid, "unlimited"),
  };
}
