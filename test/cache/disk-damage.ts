import {
  closeSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

const DATA = /\.(records|places)$/;

/** Flips one bit of a file. */
export function flip(path: string, bit: number): void {
  const file = openSync(path, "r+");
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, bit >> 3);
  byte[0] = (byte[0] as number) ^ (1 << (bit & 7));
  writeSync(file, byte, 0, 1, bit >> 3);
  closeSync(file);
}

export type Damage = {
  readonly kind: "flip" | "cut" | "zeros" | "garbage";
  /** Which file and where in it, each from 0 to 1. */
  readonly file: number;
  readonly at: number;
};

/** Does it to one of the folder's data files. */
export function damage(folder: string, { kind, file, at }: Damage): void {
  const names = readdirSync(folder).filter((name) => DATA.test(name));
  const path = join(folder, names[Math.floor(file * names.length)] as string);
  const { size } = statSync(path);
  if (size === 0) return;
  const offset = Math.floor(at * size);
  if (kind === "flip") flip(path, Math.floor(at * size * 8));
  else if (kind === "cut") truncateSync(path, offset);
  else {
    const opened = openSync(path, "r+");
    const page = Buffer.alloc(Math.min(4_096, size - offset), kind === "zeros" ? 0 : 0xa5);
    writeSync(opened, page, 0, page.length, offset);
    closeSync(opened);
  }
}
