import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { read } from "./blocks.ts";

const TEMPLATES = ".github/ISSUE_TEMPLATE";

type Workflow = {
  readonly jobs: { readonly test: { readonly steps: readonly Record<string, unknown>[] } };
};
type Template = {
  readonly name: string;
  readonly description: string;
  readonly body: readonly { readonly type: string; readonly id?: string }[];
};

test(".node-version is the major version of the Node that the install brings", () => {
  const { devDependencies } = JSON.parse(read("package.json")) as {
    devDependencies: { node: string };
  };
  expect(devDependencies.node.split(".")[0]).toBe(read(".node-version").trim());
});

test("the workflow of GitHub runs .ci/run with the Node of .node-version", () => {
  const { steps } = (parse(read(".github/workflows/ci.yml")) as Workflow).jobs.test;
  expect(steps.at(-1)).toEqual({ run: ".ci/run" });
  expect(steps.map(({ with: options }) => options)).toContainEqual(
    expect.objectContaining({ "node-version-file": ".node-version" }),
  );
});

test("each template of an issue is a form with a name, a description and questions", () => {
  const files = readdirSync(TEMPLATES);
  expect(files).toEqual(["bug.yml", "feature.yml"]);
  for (const file of files) {
    const { name, description, body } = parse(read(`${TEMPLATES}/${file}`)) as Template;
    expect([typeof name, typeof description]).toEqual(["string", "string"]);
    const questions = body.filter(({ type }) => type !== "markdown");
    expect(questions.length).toBeGreaterThan(1);
    expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length);
  }
});
