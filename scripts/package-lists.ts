/**
 * Writes what goes into the package beside the program: the versions and hashes of all packages that
 * come with it (npm-shrinkwrap.json, which npm obeys where it installs the program), and a bill of
 * materials (dist/sbom.json, CycloneDX), which names those whose code is joined into dist as well.
 * `npm pack` runs it after the build, and removes npm-shrinkwrap.json again: in the repository
 * package-lock.json is what npm obeys.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { manifestIn, noticedIn } from "./notices.ts";

type Lock = { readonly packages: Readonly<Record<string, { readonly version?: string }>> };
type Component = { name: string; readonly version: string; readonly "bom-ref": string };
type Bill = {
  metadata: { readonly component: Component };
  components: Component[];
  dependencies: { readonly ref: string; dependsOn: string[] }[];
};

const root = join(import.meta.dirname, "..");
const shrinkwrap = join(root, "npm-shrinkwrap.json");
const dist = join(root, "dist");

// npm would read one that a pack left behind which failed.
rmSync(shrinkwrap, { force: true });
const lock = lockOfUsers();
writeBill(JSON.parse(lock) as Lock);
writeFileSync(shrinkwrap, lock);

/** Of the lock file what is left without the packages that only developers need. */
function lockOfUsers(): string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-shrinkwrap-"));
  try {
    const manifest = { ...manifestIn(root), devDependencies: undefined };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    for (const file of ["package-lock.json", ".npmrc"]) {
      copyFileSync(join(root, file), join(folder, file));
    }
    const quietly = ["--ignore-scripts", "--offline", "--loglevel=error"];
    npm(["install", "--package-lock-only", ...quietly], folder);
    return readFileSync(join(folder, "package-lock.json"), "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function writeBill({ packages }: Lock): void {
  const installed = Object.entries(packages).map(
    ([path, { version }]) => `${path.split("node_modules/").at(-1)}@${version}`,
  );
  const known = new Set([
    ...installed,
    ...noticedIn(dist),
    ...noticedIn(join(dist, "console/web")),
  ]);
  const bill = JSON.parse(
    npm(["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"], root),
  ) as Bill;
  // npm takes the folder's name.
  bill.metadata.component.name = manifestIn(root).name;
  const own = bill.metadata.component["bom-ref"];
  bill.components = bill.components.filter(({ name, version }) => known.has(`${name}@${version}`));
  const refs = new Set([own, ...bill.components.map((component) => component["bom-ref"])]);
  bill.dependencies = bill.dependencies.filter(({ ref }) => refs.has(ref));
  for (const each of bill.dependencies) {
    each.dependsOn = each.dependsOn.filter((ref) => refs.has(ref));
  }
  writeFileSync(join(dist, "sbom.json"), `${JSON.stringify(bill, null, 2)}\n`);
}

function npm(args: readonly string[], cwd: string): string {
  return execFileSync("npm", args, { cwd, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}
