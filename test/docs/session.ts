import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect } from "vitest";
import { PROGRAM } from "../support/program.ts";
import { provideCurl, Running, run, runShell, userEnvironment } from "../support/shell.ts";
import { temporaryFolder } from "../support/written.ts";
import { ROOT } from "./blocks.ts";

/** `npm start`, which all pages call. */
export type Dev = { readonly printed: string };

/** A page's own folder and terminal: what a reader has who follows it from the top. */
export class Session {
  /** What the last block printed. */
  lastOutput = "";
  readonly folder = temporaryFolder("docs");
  readonly dev: Dev;
  readonly #env: NodeJS.ProcessEnv;
  readonly #nodeUrl: string;
  readonly #postgresPort: string;
  #background: Running | undefined;
  #key = "";
  #keyId = "";

  /** `nodeUrl` stands for the readers' own nodes, 10.0.0.1 and 10.0.0.2; the port for their database's. */
  constructor(dev: Dev, { nodeUrl, postgresPort }: { nodeUrl: string; postgresPort: string }) {
    this.dev = dev;
    this.#nodeUrl = nodeUrl;
    this.#postgresPort = postgresPort;
    const bin = join(this.folder, "bin");
    mkdirSync(bin);
    writeFileSync(
      join(bin, "tollgate"),
      `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`,
      { mode: 0o755 },
    );
    for (const name of ["src", "scripts", "node_modules", "package.json"]) {
      symlinkSync(join(ROOT, name), join(this.folder, name));
    }
    mkdirSync(join(this.folder, "program"));
    const clients = join(ROOT, "test/outside/node_modules");
    symlinkSync(clients, join(this.folder, "program/node_modules"));
    for (const file of ["cert.pem", "key.pem", "ca.pem"])
      writeFileSync(join(this.folder, file), "");
    this.#env = userEnvironment(bin);
  }

  async prepare(): Promise<void> {
    await provideCurl(join(this.folder, "bin"));
  }

  /** A script for `sh`; its exit code is checked. */
  async shell(script: string, code = 0): Promise<void> {
    const ran = await runShell(this.fill(script), { cwd: this.folder, env: this.#env });
    expect(ran.code, ran.output).toBe(code);
    // Faults are told on standard error; otherwise npx may say things there that are its own.
    this.#remember(code === 0 ? ran.stdout : ran.output);
  }

  /** An ES module beside the clients of test/outside. */
  async program(source: string): Promise<void> {
    const file = join(this.folder, "program/snippet.mjs");
    writeFileSync(file, this.fill(source));
    const ran = await run(process.execPath, [file], { cwd: this.folder, env: this.#env });
    expect(ran.code, ran.output).toBe(0);
    this.#remember(ran.stdout);
  }

  /** A call of a network of the gateway at hand: the members of a request beside its envelope. */
  async call(network: string, request: string): Promise<void> {
    const envelope = '"jsonrpc":"2.0","id":1,';
    const response = await fetch(this.fill(`http://127.0.0.1:8545/${network}/v3/KEY`), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: request.trim().replace("{", `{${envelope}`),
    });
    const text = await response.text();
    expect(text.startsWith(`{${envelope}`), text).toBe(true);
    this.lastOutput = text.replace(envelope, "");
  }

  /** A command that goes on until the end of the page. */
  async background(command: string): Promise<void> {
    const options = { cwd: this.folder, env: this.#env };
    this.#background = new Running("sh", ["-c", `exec ${this.fill(command)}`], options);
    this.lastOutput = await this.#background.printed(/"msg":"admin port"/);
  }

  get backgroundOutput(): string {
    return this.#background?.output ?? "";
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), this.fill(text));
  }

  /** The text with what a reader would put into it: addresses, ports that are free, keys. */
  fill(text: string): string {
    const { dev } = this;
    const http = this.#portOf("serving") ?? portIn(dev.printed, "HTTP");
    const admin = this.#portOf("admin port") ?? portIn(dev.printed, "Admin");
    const devKey = /^API key +(\S+)$/m.exec(dev.printed)?.[1] ?? "";
    return text
      .replaceAll("127.0.0.1:8545/dev", `127.0.0.1:${portIn(dev.printed, "HTTP")}/dev`)
      .replaceAll(/(\/dev(?:-slots)?\/(?:ws\/)?v3\/)KEY\b/g, `$1${devKey}`)
      .replaceAll("127.0.0.1:8545", `127.0.0.1:${http}`)
      .replaceAll("127.0.0.1:9545", `127.0.0.1:${admin}`)
      .replaceAll("http://localhost:7545", dashboardOf(dev.printed))
      .replaceAll('"port":8545', `"port":${http}`)
      .replaceAll(/\bport: [89]545\b/g, "port: 0")
      .replaceAll(/http:\/\/10\.0\.0\.[12]:8545/g, this.#nodeUrl)
      .replaceAll(
        "tollgate:…@db.example.org:5432",
        `tollgate:${encodeURIComponent("…")}@127.0.0.1:${this.#postgresPort}`,
      )
      .replaceAll("key_3fGhK9mNpQ2", this.#keyId)
      .replaceAll(/\bKEY\b/g, (word) => this.#key || devKey || word);
  }

  async end(): Promise<void> {
    await this.#background?.end("SIGTERM");
  }

  #remember(output: string): void {
    this.lastOutput = output;
    this.#key = /\btg_6[1-9A-HJ-NP-Za-km-z]{28}\b/.exec(output)?.[0] ?? this.#key;
    this.#keyId = /\bkey_\w+/.exec(output)?.[0] ?? this.#keyId;
  }

  #portOf(message: string): string | undefined {
    return new RegExp(`"port":(\\d+).*"msg":"${message}"`).exec(this.backgroundOutput)?.[1];
  }
}

/** Its address is a name: passkeys refuse IP addresses. */
function dashboardOf(printed: string): string {
  return /^Dashboard +(\S+)$/m.exec(printed)?.[1] ?? "none";
}

function portIn(printed: string, label: string): string {
  return new RegExp(`^${label} .*?127\\.0\\.0\\.1:(\\d+)`, "m").exec(printed)?.[1] ?? "none";
}
