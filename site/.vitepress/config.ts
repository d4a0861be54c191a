import { defineConfig } from "vitepress";
import { sidebar } from "../sidebar.ts";

// biome-ignore lint/style/noDefaultExport: VitePress reads its configuration from the default export.
export default defineConfig({
  title: "Tollgate",
  description: "A gateway for blockchain nodes that a team runs itself",
  lang: "en-GB",
  base: "/docs/",
  srcDir: "pages",
  outDir: "dist",
  cleanUrls: true,
  // Else each page holds the list of all pages.
  metaChunk: true,
  // Addresses of a reader's own machine are no pages.
  ignoreDeadLinks: "localhostLinks",
  markdown: {
    languageAlias: { haproxy: "nginx" },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    // What looks like a tag is a placeholder.
    html: false,
    // And braces belong to the text.
    attrs: { disable: true },
    anchor: { slugify: anchorOf },
  },
  themeConfig: {
    search: { provider: "local" },
    sidebar: sidebar(),
    outline: [2, 3],
    notFound: {
      title: "There is no such page",
      quote: "It may have another name now: search for what it was about.",
      linkLabel: "the start of the documentation",
      linkText: "To the start",
    },
    nav: [
      { text: "Methods", link: "/methods/" },
      { text: "Configuration", link: "/configuration" },
    ],
  },
});

/** As GitHub names headings, which the pages' links go by. */
function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}
