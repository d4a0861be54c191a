import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type DevChain, startDevChain } from "../../src/dev/chain.ts";
import { evmExamples } from "../../src/dev/evm-examples.ts";
import { GREETING } from "../../src/dev/samples.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { run } from "../support/shell.ts";

const OUTSIDE = join(import.meta.dirname, "../outside");

let chain: DevChain;
let gateway: TestGateway;

beforeAll(async () => {
  chain = await startDevChain({ blockTimeSeconds: 2 });
  const upstreams = [{ name: "anvil", url: chain.node.url }];
  const networks = [{ name: "dev", family: "evm", chainId: 31_337, upstreams }];
  gateway = await startTestGateway({ networks });
});

afterAll(async () => {
  await gateway?.stop();
  await chain?.node.stop();
});

/** The lines that follow the comment beginning with `# <client>`, up to an empty one. */
function snippet(client: string): string[] {
  const lines = evmExamples(`${gateway.origin}/dev/v3/${gateway.key}`, chain.samples);
  const first = lines.findIndex((line) => line.startsWith(`# ${client} `)) + 1;
  const end = lines.indexOf("", first);
  return lines.slice(first, end === -1 ? undefined : end);
}

test.each(["viem", "ethers"])("the lines of %s, as printed, print the greeting", async (client) => {
  const lines = snippet(client);
  expect(lines).toHaveLength(3);
  const args = ["--input-type=module", "--eval", lines.join("\n")];
  // Where the client is installed: what a module of a command line imports is looked for there.
  const options = { cwd: OUTSIDE, timeout: 20_000 };
  const { code, output } = await run(process.execPath, args, options);
  expect({ code, output }).toEqual({ code: 0, output: `${GREETING}\n` });
});
