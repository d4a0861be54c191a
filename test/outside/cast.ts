import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BlockAt, Connect, RevertingCall, SentCall } from "./client.ts";

const run = promisify(execFile);
const TIMEOUT_MS = 20_000;

/** What `cast call` needs to know of the functions that revert. */
const SIGNATURES = {
  refuse: "refuse(string)",
  transfer: "transfer(address,uint256)(bool)",
  divide: "divide(uint256,uint256)(uint256)",
};
/** By selector, what `cast decode-error` needs to know of the errors that hold no text. */
const ERRORS: Readonly<Record<string, string>> = {
  "0x4e487b71": "Panic(uint256)",
  "0xcf479181": "InsufficientBalance(uint256,uint256)",
};

type Block = { number: string; hash: string; transactions: (string | Transaction)[] };
type Transaction = { hash: string; type: string; transactionIndex: string };
type Receipt = {
  transactionHash: string;
  status: string;
  type: string;
  contractAddress: string | null;
  logs: unknown[];
};

type Words = [command: string, ...args: string[]];
/** Runs cast and gives what it writes. @throws where it ends with a fault, its `stderr` in it */
type Cast = (...words: Words) => Promise<string>;

/** cast: every question is a process of its own, which ends by itself. It has no batches. */
export const connectCast: Connect = async (url) => {
  // cast keeps what it has seen, and reads settings, in its user's home.
  const home = await mkdtemp(join(tmpdir(), "tollgate-cast-"));
  const cast: Cast = async (...args) => {
    const env = { HOME: home, USERPROFILE: home, NO_COLOR: "1" };
    const { stdout } = await run(findCast(), args, { env, cwd: home, timeout: TIMEOUT_MS });
    return stdout.trim();
  };
  const ask: Cast = (command, ...args) => cast(command, "--rpc-url", url, ...args);
  const askJson = async <Result>(...[command, ...args]: Words) =>
    JSON.parse(await ask(command, "--json", ...args)) as Result;
  return {
    chainId: async () => Number(await ask("chain-id")),
    block: async (at, full) => {
      const seen = await askJson<Block>("block", place(at), ...(full ? ["--full"] : []));
      return {
        number: Number(seen.number),
        hash: seen.hash,
        transactions: seen.transactions.map((element) =>
          typeof element === "string"
            ? element
            : { hash: element.hash, type: Number(element.type) },
        ),
      };
    },
    transaction: async (blockNumber, index) => {
      const method = "eth_getTransactionByBlockNumberAndIndex";
      const seen = JSON.parse(await ask("rpc", method, quantity(blockNumber), quantity(index)));
      const { hash, type, transactionIndex } = seen as Transaction;
      return { hash, type: Number(type), index: Number(transactionIndex) };
    },
    receipt: async (hash) => {
      const seen = await askJson<Receipt>("receipt", hash);
      return {
        hash: seen.transactionHash,
        succeeded: seen.status === "0x1",
        type: Number(seen.type),
        contract: seen.contractAddress,
        logs: seen.logs.length,
      };
    },
    storage: (address, position) => ask("storage", address, position),
    greeting: async (contract) => {
      const [text = ""] = await askJson<string[]>("call", contract, "greeting()(string)");
      return text;
    },
    balanceOf: async (contract, owner) => {
      const [balance = ""] = await askJson<string[]>(
        "call",
        contract,
        "balanceOf(address)(uint256)",
        owner,
      );
      return BigInt(balance);
    },
    estimateGas: async ({ from, to, data }: SentCall) =>
      BigInt(await ask("estimate", "--from", from, to, data)),
    revert: async (call) => reasonOf(cast, await revert(ask, call)),
    close: () => rm(home, { recursive: true, force: true }),
  };
};

/** cast's binary in its npm package for this platform: a shim between would hide how it ended. */
function findCast(): string {
  const { platform, arch } = process;
  const name = `@foundry-rs/cast-${platform}-${arch === "x64" ? "amd64" : arch}`;
  const file = platform === "win32" ? "cast.exe" : "cast";
  const own = createRequire(import.meta.url).resolve("@foundry-rs/cast/package.json");
  return createRequire(own).resolve(`${name}/bin/${file}`);
}

function place(at: BlockAt): string {
  if (at === "latest") return at;
  return "hash" in at ? at.hash : String(at.number);
}

type Reverted = { readonly message: string; readonly data: string };

async function revert(ask: Cast, call: RevertingCall): Promise<Reverted> {
  const { contract, name, args, from } = call;
  try {
    await ask("call", "--from", from, contract, SIGNATURES[name], ...args.map(String));
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    const [, message, data] = /error code 3: (.*), data: "(0x[0-9a-f]*)"/.exec(stderr) ?? [];
    if (message === undefined || data === undefined) throw error;
    return { message, data };
  }
  throw new Error("the call did not revert");
}

/** A reason stands in cast's own error; other errors it decodes when asked to. */
async function reasonOf(cast: Cast, { message, data }: Reverted): Promise<string> {
  const signature = ERRORS[data.slice(0, 10)];
  if (signature === undefined) return message.replace("execution reverted: ", "");
  const values = await cast("decode-error", "--json", "--sig", signature, data);
  const [name] = signature.split("(");
  return `${name}(${(JSON.parse(values) as string[]).join(", ")})`;
}

const quantity = (value: number): string => `0x${value.toString(16)}`;
