import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";

const ROOT = path.join(import.meta.dirname, "../..");

/** A fault in the code, which some test has to find. */
export type Mutation = {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
};

/** How many places the code has for it; it needs one. */
export async function placesFor({ file, from }: Mutation): Promise<number> {
  const code = await readFile(path.join(ROOT, file), "utf8");
  return code.split(from).length - 1;
}

/** A copy of parts of this checkout, into which faults can be put. */
export class MutatedCheckout {
  readonly #folder: string;

  static async copy(names: readonly string[]): Promise<MutatedCheckout> {
    const folder = await mkdtemp(path.join(tmpdir(), "tollgate-mutations-"));
    for (const name of [...names, "package.json"]) {
      await cp(path.join(ROOT, name), path.join(folder, name), { recursive: true });
    }
    await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
    return new MutatedCheckout(folder);
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** What the program prints. Rejects where it fails. */
  async run(program: string, ...args: readonly string[]): Promise<string> {
    const file = path.join(this.#folder, program);
    const { stdout } = await promisify(execFile)(process.execPath, [file, ...args]);
    return stdout;
  }

  /** Calls `run` while the code has the fault. */
  async runWith({ file, from, to }: Mutation, run: () => Promise<void>): Promise<void> {
    const code = path.join(this.#folder, file);
    const right = await readFile(code, "utf8");
    try {
      await writeFile(
        code,
        right.replace(from, () => to),
      );
      await run();
    } finally {
      await writeFile(code, right);
    }
  }

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }
}
