import { existsSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Of files whose names have a hash of their content. */
export const FOREVER = "public, max-age=31536000, immutable";

/**
 * The paths of a folder's files, once: what is asked for never reaches the file system as a path of its own. None where
 * there is no such folder.
 */
export function filesOf(folder: string): ReadonlySet<string> {
  if (!existsSync(folder)) return new Set();
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = found
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name));
  return new Set(paths.map((path) => relative(folder, path).split(sep).join("/")));
}
