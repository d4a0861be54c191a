import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { callSnippets } from "./call.ts";

const asked = {
  url: "https://gateway.example/mainnet/v3/YOUR_KEY",
  method: "eth_call",
  params: [{ to: "0xab", data: "it's", list: [null, true, 1.5] }, "latest"],
};
const textOf = (label: string, over: Partial<Parameters<typeof callSnippets>[0]> = {}): string =>
  callSnippets({ family: "evm", ...asked, ...over }).find((one) => one.label === label)?.text ?? "";

test("an EVM network's calls are written for four tools, a slot network's for two", () => {
  const labels = (family: "evm" | "slot") =>
    callSnippets({ family, ...asked }).map(({ label }) => label);
  expect(labels("evm")).toEqual(["curl", "viem", "ethers", "web3.py"]);
  expect(labels("slot")).toEqual(["curl", "@solana/kit"]);
});

test("a shell hands curl the body as it is, quotation marks included", () => {
  const printed = textOf("curl").replace(/^curl -s/, "printf '%s\\n'");
  const { stdout } = spawnSync("sh", ["-c", printed], { encoding: "utf8" });
  const body = stdout.trimEnd().split("\n").at(-1) ?? "";
  const { method, params } = asked;
  expect(JSON.parse(body)).toEqual({ jsonrpc: "2.0", id: 1, method, params });
});

test("the params are literals of JavaScript and of Python", () => {
  const params = '[{"to":"0xab","data":"it\'s","list":[null,true,1.5]},"latest"]';
  expect(textOf("viem")).toContain(`method: "eth_call", params: ${params} }`);
  expect(textOf("ethers")).toContain(`provider.send("eth_call", ${params})`);
  expect(textOf("web3.py")).toContain(
    `"eth_call", [{"to": "0xab", "data": "it's", "list": [None, True, 1.5]}, "latest"])`,
  );
});
