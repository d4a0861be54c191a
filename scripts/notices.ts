import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly dependencies: object;
};

const FILE = "THIRD-PARTY-NOTICES.txt";

export function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/** Beside what is built from others' packages, a file names each of them with its licence, as those ask. */
export const notices: Plugin = {
  name: "notices",
  apply: "build",
  writeBundle({ dir = "" }, bundle) {
    const files = Object.values(bundle);
    const modules = files.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
    const folders = modules.flatMap(
      (id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? [],
    );
    const texts = [...new Set(folders)].sort().map(noticeOf);
    writeFileSync(join(dir, FILE), texts.join("\n"));
  },
};

/** Whose code is in the files of a folder that was built, each as `name@version`. */
export function noticedIn(folder: string): string[] {
  const text = readFileSync(join(folder, FILE), "utf8");
  return [...text.matchAll(/^(\S+@[\w.-]+) \([\w.-]+\):$/gm)].map(([, name = ""]) => name);
}

function noticeOf(folder: string): string {
  const { name, version, license } = manifestIn(folder);
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) throw new Error(`${name} has no licence to take along`);
  return `${name}@${version} (${license}):\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
