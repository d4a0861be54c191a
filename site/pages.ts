/** The pages of the documentation's site, as Markdown: those of the repository, and one for each method. */
import { globSync, readFileSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { methodIndex, methodPages } from "./method-pages.ts";

/** `path`: where the page lies on the site, `keys.md`. */
export type Page = { readonly path: string; readonly text: string };

const ROOT = join(import.meta.dirname, "..");
/** The repository's pages that lie beside its `docs`, by their path on the site. */
const BESIDE: Readonly<Record<string, string>> = {
  "README.md": "index.md",
  "CONTRIBUTING.md": "contributing.md",
  "CHANGELOG.md": "changelog.md",
  "SECURITY.md": "security.md",
};

export function sitePages(): readonly Page[] {
  const beside = Object.entries(BESIDE).map(([file, path]) => page(file, path));
  const docs = globSync("docs/*.md", { cwd: ROOT }).map((file) => page(file, basename(file)));
  return [...beside, ...docs, methodIndex(), ...methodPages()];
}

function page(file: string, path: string): Page {
  const text = readFileSync(join(ROOT, file), "utf8");
  return { path, text: withoutComments(withSiteLinks(text, file)) };
}

/** What tests read of a page, its readers do not. */
const withoutComments = (text: string): string => text.replaceAll(/<!--.*?-->\n*/gs, "");

/** Links between the repository's pages lead to those of the site; a link to another file becomes its path. */
function withSiteLinks(text: string, file: string): string {
  const folder = posix.dirname(file);
  return text.replaceAll(/\[([^\]]*)\]\(([^)\s]+)\)/g, (link, words: string, target: string) => {
    const [name = "", anchor] = target.split("#");
    if (name === "" || /^[a-z]+:/.test(name)) return link;
    const path = posix.join(folder, name);
    const isOfDocs = path.startsWith("docs/");
    const onSite = BESIDE[path] ?? (isOfDocs ? path.slice("docs/".length) : undefined);
    if (onSite === undefined) return words === path ? `\`${path}\`` : `${words} (\`${path}\`)`;
    return `[${words}](${onSite}${anchor === undefined ? "" : `#${anchor}`})`;
  });
}
