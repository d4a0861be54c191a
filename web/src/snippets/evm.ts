import type { Snippet } from "./snippet.ts";

/** Each prints the number of the newest block. */
export const EVM_SNIPPETS: readonly Snippet[] = [
  {
    id: "curl",
    label: "curl",
    family: "evm",
    file: undefined,
    setup: [],
    start: undefined,
    code: `curl -s {url} \\
  -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'
`,
  },
  {
    id: "viem",
    label: "viem",
    family: "evm",
    file: "block.mjs",
    setup: ["npm install viem"],
    start: "node block.mjs",
    code: `import { createPublicClient, http } from "viem";

const client = createPublicClient({ transport: http("{url}") });

console.log(await client.getBlockNumber());
`,
  },
  {
    id: "ethers",
    label: "ethers",
    family: "evm",
    file: "block.mjs",
    setup: ["npm install ethers"],
    start: "node block.mjs",
    code: `import { JsonRpcProvider } from "ethers";

const provider = new JsonRpcProvider("{url}");

console.log(await provider.getBlockNumber());
provider.destroy();
`,
  },
  {
    id: "web3py",
    label: "web3.py",
    family: "evm",
    file: "block.py",
    setup: ["pip install web3"],
    start: "python3 block.py",
    code: `from web3 import HTTPProvider, Web3

w3 = Web3(HTTPProvider("{url}"))

print(w3.eth.block_number)
`,
  },
  {
    id: "go",
    label: "Go",
    family: "evm",
    file: "main.go",
    setup: ["go mod init example", "go get github.com/ethereum/go-ethereum/ethclient"],
    start: "go run main.go",
    code: `package main

import (
	"context"
	"fmt"
	"log"

	"github.com/ethereum/go-ethereum/ethclient"
)

func main() {
	client, err := ethclient.Dial("{url}")
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	number, err := client.BlockNumber(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(number)
}
`,
  },
];
