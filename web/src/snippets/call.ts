/** A call as it would be written in a program: `label` is what people call the tool. */
export type CallSnippet = { readonly label: string; readonly text: string };

type Asked = {
  readonly family: "evm" | "slot";
  /** The network's address with a key, or with what stands for one. */
  readonly url: string;
  readonly method: string;
  readonly params: readonly unknown[];
};

/** The same call for each tool. All but curl print the result, or throw the error, in their own way. */
export function callSnippets({ family, ...asked }: Asked): readonly CallSnippet[] {
  const own = family === "evm" ? [viem, ethers, web3py] : [solanaKit];
  return [curl, ...own].map((write) => write(asked));
}

type Write = (asked: Omit<Asked, "family">) => CallSnippet;

const curl: Write = ({ url, method, params }) => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const quoted = `'${body.replaceAll("'", `'\\''`)}'`;
  const head = "-H 'content-type: application/json'";
  return { label: "curl", text: `curl -s ${url} \\\n  ${head} \\\n  -d ${quoted}\n` };
};

const viem: Write = ({ url, method, params }) => ({
  label: "viem",
  text: `import { createPublicClient, http } from "viem";

const client = createPublicClient({ transport: http("${url}") });

console.log(await client.request({ method: "${method}", params: ${JSON.stringify(params)} }));
`,
});

const ethers: Write = ({ url, method, params }) => ({
  label: "ethers",
  text: `import { JsonRpcProvider } from "ethers";

const provider = new JsonRpcProvider("${url}");

console.log(await provider.send("${method}", ${JSON.stringify(params)}));
provider.destroy();
`,
});

const web3py: Write = ({ url, method, params }) => ({
  label: "web3.py",
  text: `from web3 import HTTPProvider, Web3

w3 = Web3(HTTPProvider("${url}"))

print(w3.provider.make_request("${method}", ${pythonOf(params)}))
`,
});

const solanaKit: Write = ({ url, method, params }) => ({
  label: "@solana/kit",
  text: `import { createDefaultRpcTransport } from "@solana/kit";

const transport = createDefaultRpcTransport({ url: "${url}" });
const payload = { jsonrpc: "2.0", id: 1, method: "${method}", params: ${JSON.stringify(params)} };

console.log(await transport({ payload }));
`,
});

/** JSON's texts and numbers are Python's as well. */
function pythonOf(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}: ${pythonOf(each)}`,
  );
  return `{${members.join(", ")}}`;
}
