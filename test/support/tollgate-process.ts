import { type ChildProcess, spawn } from "node:child_process";
import { PROGRAM } from "./program.ts";
import { recordOutput } from "./written.ts";

export type Ended = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type TollgateProcess = {
  readonly pid: number;
  /** Standard output and error so far, together. */
  readonly output: () => string;
  /** Resolves with the first match in the output. @throws where the process ends before */
  readonly says: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<Ended>;
};

export type TollgateOptions = {
  readonly cwd?: string;
  /** A module that is loaded before the program, in each of its threads. */
  readonly preload?: URL;
  /** What has to stand before the command. */
  readonly command?: (argv: readonly string[]) => readonly [file: string, ...args: string[]];
};

/** The program as people start it. */
export function startTollgate(
  args: readonly string[],
  { preload, command = asItIs, ...options }: TollgateOptions = {},
): TollgateProcess {
  const preloaded = preload === undefined ? [] : ["--import", preload.href];
  const [file, ...words] = command([process.execPath, ...preloaded, PROGRAM, ...args]);
  const child = spawn(file, words, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  // Not the values: a test may give a key where an id belongs.
  const end = args.findIndex((word) => !/^[a-z]+(?:-[a-z]+)*$/.test(word));
  const name = ["tollgate", ...args.slice(0, end < 0 ? args.length : end)].join(" ");
  recordOutput(child.stdout, `${name}: stdout`);
  recordOutput(child.stderr, `${name}: stderr`);
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const output = () => stdout() + stderr();
  const ended = endOf(child, { stdout, stderr });
  return {
    pid: child.pid ?? 0,
    output,
    says: (pattern) => matchIn(child, output, pattern),
    kill: (signal) => child.kill(signal),
    ended,
  };
}

/** Runs a command to its end. */
export function runTollgate(args: readonly string[]): Promise<Ended> {
  return startTollgate(args).ended;
}

const asItIs = ([file = "", ...args]: readonly string[]) => [file, ...args] as const;

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

function endOf(
  child: ChildProcess,
  { stdout, stderr }: { stdout: () => string; stderr: () => string },
): Promise<Ended> {
  return new Promise((resolve) => {
    child.once("close", (code, signal) => {
      resolve({ code, signal, stdout: stdout(), stderr: stderr() });
    });
  });
}

function matchIn(
  child: ChildProcess,
  output: () => string,
  pattern: RegExp,
): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const found = pattern.exec(output());
      if (found !== null) resolve(found);
    };
    look();
    child.stdout?.on("data", look);
    child.stderr?.on("data", look);
    child.once("close", () => reject(new Error(`ended without ${pattern}:\n${output()}`)));
  });
}
