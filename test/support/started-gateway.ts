import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import {
  type Ended,
  startTollgate,
  type TollgateOptions,
  type TollgateProcess,
} from "./tollgate-process.ts";
import { withSecrets } from "./upstream-secret.ts";
import { readMetrics, recordKey, temporaryFolder } from "./written.ts";

/** A folder with a configuration file, and the commands on it. */
export type Workplace = {
  readonly folder: string;
  readonly file: string;
  /** Runs `tollgate ARGS --config FILE`. */
  readonly run: (...args: string[]) => Promise<Ended>;
  /** As `run` with `--json`: what it printed. @throws where it failed */
  readonly json: (...args: string[]) => Promise<unknown>;
  /** `tollgate start`, its ports read from its log. */
  readonly start: (options?: TollgateOptions) => Promise<Started>;
  /** All that the commands and processes wrote, and all files of the folder but the configuration. */
  readonly everythingWritten: () => Promise<string>;
  /** Ends what still runs. */
  readonly clear: () => Promise<void>;
};

export type Started = {
  readonly process: TollgateProcess;
  readonly port: number;
  readonly adminPort: number;
  readonly origin: string;
  readonly admin: string;
};

/** An account's id, and its key. */
export type Customer = { readonly owner: string; readonly key: string };

export async function makeCustomer(
  { json }: Pick<Workplace, "json">,
  { email, plan }: { readonly email: string; readonly plan: string },
): Promise<Customer> {
  const { id } = (await json("accounts", "create", email, "--plan", plan)) as { id: string };
  const words = ["--account", email, "--name", "a"];
  const { key } = (await json("keys", "create", ...words)) as { key: string };
  recordKey(key);
  return { owner: id, key };
}

/** Of an account of the plan `growth`. */
export async function makeKey(workplace: Pick<Workplace, "json">): Promise<string> {
  return (await makeCustomer(workplace, { email: "ada@example.com", plan: "growth" })).key;
}

/** `common`: of the commands and of gateways that are started without options of their own. */
export async function openWorkplace(
  config: object,
  common: TollgateOptions = {},
): Promise<Workplace> {
  const folder = temporaryFolder("workplace");
  const file = join(folder, "tollgate.yaml");
  const { networks = [] } = config as { readonly networks?: readonly object[] };
  await writeFile(file, stringify({ ...config, networks: withSecrets(networks) }));
  const running: TollgateProcess[] = [];
  const adminPorts: number[] = [];
  const run = async (...args: string[]) => {
    const process = startTollgate([...args, "--config", file], common);
    running.push(process);
    return process.ended;
  };
  return {
    folder,
    file,
    run,
    json: async (...args) => {
      const { code, stdout, stderr } = await run(...args, "--json");
      if (code !== 0) throw new Error(stderr);
      return JSON.parse(stdout);
    },
    start: async (options = common) => {
      const process = startTollgate(["start", "--config", file], options);
      running.push(process);
      const gateway = await started(process);
      adminPorts.push(gateway.adminPort);
      return gateway;
    },
    everythingWritten: async () =>
      [...running.map(({ output }) => output()), await contentsOf(folder)].join("\n"),
    clear: async () => {
      await Promise.all(adminPorts.map((port) => readMetrics(port)));
      for (const { kill, ended } of running) {
        kill("SIGKILL");
        await ended;
      }
    },
  };
}

async function started(process: TollgateProcess): Promise<Started> {
  const [, adminPort = ""] = await process.says(/"port":(\d+),"msg":"admin port"/);
  const [, port = ""] = await process.says(/"port":(\d+),[^\n]*"msg":"serving"/);
  return {
    process,
    port: Number(port),
    adminPort: Number(adminPort),
    origin: `http://127.0.0.1:${port}`,
    admin: `http://127.0.0.1:${adminPort}`,
  };
}

/** Every file but the configuration, as binary strings. */
export async function contentsOf(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile() && !entry.name.endsWith(".yaml"));
  const texts = files.map(({ parentPath, name }) => readFile(join(parentPath, name), "latin1"));
  return (await Promise.all(texts)).join("\n");
}
