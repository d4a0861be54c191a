/**
 * The documentation's site: what its pages are made of, and the call of each method's page, which is carried out against
 * `npm start`. test/dashboard/docs-site.test.ts looks at it in a browser.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { servedMethods } from "../../site/method-pages.ts";
import { sitePages } from "../../site/pages.ts";
import { sidebar } from "../../site/sidebar.ts";
import { ERRORS } from "../../src/jsonrpc/errors.ts";
import { NOT_OF_ANVIL } from "../conformance/not-of-anvil.ts";
import { Running, userEnvironment } from "../support/shell.ts";
import { blocksOf, ROOT } from "./blocks.ts";
import { Session } from "./session.ts";

const pages = new Map(sitePages().map(({ path, text }) => [path, text]));
const methodPage = (method: string): string => pages.get(`methods/${method}.md`) ?? "";

test("each page stands once in the table of contents, and nothing stands there that is no page", () => {
  const items = Object.values(sidebar())
    .flat()
    .flatMap(({ link, items = [] }) => [{ link }, ...items]);
  const links = items.flatMap(({ link }) => (link === undefined ? [] : [link]));
  const paths = links.map((link) => `${link.slice(1)}${link.endsWith("/") ? "index" : ""}.md`);
  expect([...new Set(paths)].toSorted()).toEqual([...pages.keys()].toSorted());
});

test("links lead to pages of the site, and to headings that are there", () => {
  for (const [path, text] of pages) {
    const folder = path.startsWith("methods/") ? "methods/" : "";
    for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [name = "", anchor] = target.split("#");
      const wanted = name === "" ? path : new URL(name, `http://site/${folder}`).pathname.slice(1);
      if (wanted.startsWith("pictures/")) continue;
      expect([...pages.keys()], `${path}: ${target}`).toContain(wanted);
      if (anchor === undefined) continue;
      const headings = [...(pages.get(wanted) ?? "").matchAll(/^#+ (.+)$/gm)];
      expect(
        headings.map(([, heading = ""]) => anchorOf(heading)),
        `${path}: ${target}`,
      ).toContain(anchor);
    }
  }
});

/** As GitHub names headings. */
const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");

test.each(servedMethods().map((served) => [served.definition.method, served] as const))(
  "the page of %s has its params, price, result and errors",
  (method, { definition: { params, credits, result = "" } }) => {
    const page = methodPage(method);
    expect(page).toMatch(new RegExp(`^# ${method}\n`));
    expect(page).toContain(`Costs ${credits} credits`);
    expect(page).toContain(result);
    for (const { name, want } of params) {
      expect(page).toContain(`| ${name} | ${want.replaceAll("|", "\\|")} |`);
    }
    if (params.length > 0) expect(page).toContain("| -32602 | invalid params |");
    expect(page).toContain("## Errors");
  },
);

describe("the call of each method's page", () => {
  let running: Running | undefined;
  let session: Session;
  beforeAll(async () => {
    running = new Running("npm", ["start"], { cwd: ROOT, env: userEnvironment() });
    const dev = { printed: await running.printed(/Ctrl-C ends everything/) };
    session = new Session(dev, { nodeUrl: "", postgresPort: "" });
    await session.prepare();
  });
  afterAll(async () => {
    await session?.end();
    await running?.end("SIGINT");
  });

  test.each(servedMethods().map((served) => [served.definition.method, served] as const))(
    "of %s is taken",
    async (method, { family }) => {
      const blocks = blocksOf(methodPage(method));
      const shell = blocks.find(({ language }) => language === "sh");
      if (shell !== undefined) await session.shell(shell.text);
      else await session.program(blocks.find(({ language }) => language === "js")?.text ?? "");
      const answers = session.lastOutput
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(answers.length).toBeGreaterThan(0);
      for (const answer of answers) {
        // The sample slot network is a ledger of files, which answers what such files can.
        const isRefused = [-32_700, -32_600, -32_602, 401, 404].includes(answer.error?.code);
        const isAway = answer.error?.message === ERRORS.not_on_this_network.message;
        const isLacking =
          NOT_OF_ANVIL.has(method) && [-32_601, -32_000].includes(answer.error?.code);
        const isAnswered = answer.error === undefined || isAway || isLacking;
        const wanted = family === "evm" ? isAnswered : !isRefused;
        expect(wanted, JSON.stringify(answer)).toBe(true);
      }
    },
  );
});
