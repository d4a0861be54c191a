import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { z } from "zod";
import { crossChecks } from "./cross-checks.ts";
import { ConfigError, type Path, pathText } from "./faults.ts";
import { at, findingsOf } from "./issues.ts";
import { missingFiles, resolvePaths } from "./paths.ts";
import { expandProviders } from "./providers.ts";
import { type Config, configJsonSchema, configSchema } from "./schema.ts";
import { type Finding, readSource, type Source } from "./source.ts";

type ParseOptions = {
  /** The folder that relative paths start from. */
  readonly baseDir: string;
  /** Where `${NAME}` is looked up; the process's own where none is given. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
};

/** Reads and checks a configuration file. Throws ConfigError with every fault at once. */
export async function loadConfig(file: string, environment?: NodeJS.ProcessEnv): Promise<Config> {
  const text = await readText(resolve(file));
  return parseConfig(text, { baseDir: dirname(resolve(file)), environment });
}

/** Checks the text of a configuration file. Throws ConfigError with every fault at once. */
export function parseConfig(
  text: string,
  { baseDir, environment = process.env }: ParseOptions,
): Config {
  const source = readSource(text, environment);
  if (!source.readable) throw configError(source, source.findings);
  const root = source.value ?? {};
  const families = assumeFamilies(root);
  const providers = expandProviders(source, root);
  const { config, issues } = validate(source, root);
  const schema = issues.length > 0 ? configJsonSchema() : {};
  const doubted = [
    ...issues.flatMap((issue) => findingsOf(issue, schema, root)),
    ...crossChecks(root),
    ...missingFiles(source, baseDir),
  ].filter(({ path }) => !source.isUnfilled(path));
  const findings = [...source.findings, ...families, ...providers, ...doubted];
  if (config === undefined || findings.length > 0) throw configError(source, findings);
  return resolvePaths(config, baseDir);
}

function configError(source: Source, findings: readonly Finding[]): ConfigError {
  return new ConfigError(
    findings.map(({ path, message, line }) => ({
      path: pathText(path),
      line: line ?? source.lineOf(path),
      message,
    })),
  );
}

async function readText(file: string): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(file));
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "";
    const reasons: Record<string, string> = {
      ENOENT: "there is no such file; --config names another one",
      EACCES: "it may not be read",
      EISDIR: "it is a folder",
      ERR_ENCODING_INVALID_ENCODED_DATA: "it is not UTF-8 text",
    };
    const message = `${file} can't be read: ${reasons[code] ?? code}`;
    throw new ConfigError([{ path: "", line: 0, message }], { cause });
  }
}

type Validation = { config?: Config; issues: readonly z.core.$ZodIssue[] };

/** Validates; where a number or boolean came as a variable's text, puts it in and tries again. */
function validate(source: Source, root: unknown): Validation {
  const first = configSchema.safeParse(root, READ_ONCE);
  if (first.success) return { config: first.data, issues: [] };
  let changed = false;
  for (const { code, path: keys } of first.error.issues) {
    const path = keys.map((key) => (typeof key === "number" ? key : String(key)));
    const value = path.length > 0 && source.isWhole(path) ? fromText(at(root, path)) : undefined;
    if (value === undefined || (code !== "invalid_type" && code !== "invalid_union")) continue;
    put(root, path, value);
    changed = true;
  }
  const last = changed ? configSchema.safeParse(root, READ_ONCE) : first;
  return last.success ? { config: last.data, issues: [] } : { issues: last.error.issues };
}

function fromText(text: unknown): number | boolean | undefined {
  if (text === "true" || text === "false") return text === "true";
  const plain = typeof text === "string" && /^-?\d+(\.\d+)?$/.test(text);
  return plain ? Number(text) : undefined;
}

function put(root: unknown, path: Path, value: unknown): void {
  const parent = at(root, path.slice(0, -1)) as Record<string | number, unknown>;
  parent[path.at(-1) ?? ""] = value;
}

/** A file is read once: to compile a function for each of its objects takes a twentieth of a start. */
const READ_ONCE = { jitless: true };

/**
 * A network without a family could not be looked at further. So it is taken for what its upstreams
 * look like, and its other faults are found beside this one.
 */
function assumeFamilies(root: unknown): Finding[] {
  const networks = at(root, ["networks"]);
  const findings: Finding[] = [];
  for (const [index, network] of Array.isArray(networks) ? networks.entries() : []) {
    const family = at(network, ["family"]);
    if (family === "evm" || family === "slot" || typeof network !== "object" || !network) continue;
    const wrong = family === undefined ? "is missing" : "is no family";
    const message = `${wrong}; choose one of evm, slot`;
    findings.push({ path: ["networks", index, "family"], message });
    const url = at(network, ["upstreams", 0, "url"]);
    put(network, ["family"], typeof url === "string" && url.startsWith("file:") ? "slot" : "evm");
  }
  return findings;
}
