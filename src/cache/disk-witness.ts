import { hash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import type { Random } from "../lib/random.ts";

/** A final block of a network, by which it is known again after a restart. */
export type DiskWitness = { readonly block: number; readonly hash: string };

/** A network's entries belong to one generation; those of others can't be found any more. */
export type Generation = {
  readonly epoch: number;
  readonly id: string;
  readonly witness: DiskWitness | undefined;
};

const NAME = /^([0-9a-f]{16})-(\d{1,15})-(-?\d{1,15})-([0-9a-f]{16})-([\w-]{1,180})\.witness$/;

type Named = Generation & { readonly name: string };

const ID_BYTES = 8;

/**
 * The witnesses of all networks, each an empty file whose name says all: it is there or not, never
 * half, and several processes add theirs without a lock. The highest of the last epoch counts.
 */
export class DiskWitnesses {
  readonly #folder: string;
  readonly #random: Random;

  constructor(folder: string, random: Random) {
    this.#folder = folder;
    this.#random = random;
  }

  /** An empty one, which nothing on disk belongs to. */
  newGeneration(epoch: number): Generation {
    const id = Buffer.from(this.#random(ID_BYTES)).toString("hex");
    return { epoch, id, witness: undefined };
  }

  /**
   * The generation that was kept last; where none was, a generation that all processes share that ask before the
   * first witness. Throws as node:fs does.
   */
  read(network: string): Generation {
    fs.mkdirSync(this.#folder, { recursive: true });
    const [last] = this.#sorted(network, fs.readdirSync(this.#folder));
    return last ?? { ...this.newGeneration(0), id: this.#firstId(network) };
  }

  #firstId(network: string): string {
    const path = this.#firstPath(network);
    const { id } = this.newGeneration(0);
    const whole = `${path}.${id}`;
    fs.writeFileSync(whole, id);
    try {
      // A link is there or not, with all of its text, and the first one wins.
      fs.linkSync(whole, path);
      return id;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      return fs.readFileSync(path, "latin1");
    } finally {
      fs.rmSync(whole, { force: true });
    }
  }

  #firstPath(network: string): string {
    return join(this.#folder, `${nameOf(network)}.first`);
  }

  /**
   * Keeps the witness, on the disk itself before it resolves; those that it replaces are deleted.
   * Rejects as node:fs does.
   */
  async write(network: string, { epoch, id, witness }: Generation): Promise<void> {
    if (witness === undefined) return;
    const encoded = Buffer.from(witness.hash).toString("base64url");
    const name = `${nameOf(network)}-${epoch}-${witness.block}-${id}-${encoded}.witness`;
    const file = await fs.promises.open(join(this.#folder, name), "a");
    await file.close();
    const folder = await fs.promises.open(this.#folder, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
    await fs.promises.rm(this.#firstPath(network), { force: true });
    const kept = this.#sorted(network, await fs.promises.readdir(this.#folder));
    for (const older of kept.slice(1)) await this.#delete(older.name);
  }

  /** Deletes those of this epoch and of all before it. */
  async clear(network: string, epoch: number): Promise<void> {
    await fs.promises.rm(this.#firstPath(network), { force: true });
    for (const found of this.#sorted(network, await fs.promises.readdir(this.#folder))) {
      if (found.epoch <= epoch) await this.#delete(found.name);
    }
  }

  /** Another process may have been first. */
  async #delete(name: string): Promise<void> {
    await fs.promises.rm(join(this.#folder, name), { force: true });
  }

  #sorted(network: string, names: readonly string[]): Named[] {
    const found: Named[] = [];
    for (const name of names) {
      const [, of, epoch, block, id = "", encoded = ""] = NAME.exec(name) ?? [];
      if (of !== nameOf(network)) continue;
      const witness = { block: Number(block), hash: Buffer.from(encoded, "base64url").toString() };
      found.push({ name, epoch: Number(epoch), id, witness });
    }
    const blockOf = (named: Named): number => named.witness?.block ?? 0;
    return found.sort(
      (a, b) => b.epoch - a.epoch || blockOf(b) - blockOf(a) || (a.name < b.name ? -1 : 1),
    );
  }
}

function nameOf(network: string): string {
  return hash("sha1", network).slice(0, 16);
}
