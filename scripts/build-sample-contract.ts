/**
 * Compiles src/dev/sample-contract.sol into src/dev/sample-contract.json:
 * `node scripts/build-sample-contract.ts`. The compiler is the `solc` of test/outside.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

type Compiled = {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: {
    "sample-contract.sol": {
      Sample: {
        abi: unknown[];
        evm: { bytecode: { object: string } };
        storageLayout: { storage: { label: string; slot: string }[] };
      };
    };
  };
};
type Solc = { compile(input: string): string; version(): string };

const source = new URL("../src/dev/sample-contract.sol", import.meta.url);
const artefact = new URL("../src/dev/sample-contract.json", import.meta.url);

/**
 * The artefact's text, made from the source. `from` is the module whose `node_modules` hold solc.
 * The bytecode carries no metadata, so that it changes only when the code does.
 * @throws where the source does not compile
 */
export function compileSampleContract(
  from: URL = new URL("../test/outside/package.json", import.meta.url),
): string {
  const solc: Solc = createRequire(from)("solc");
  const input = {
    language: "Solidity",
    sources: { "sample-contract.sol": { content: readFileSync(source, "utf8") } },
    settings: {
      evmVersion: "prague",
      optimizer: { enabled: true, runs: 200 },
      metadata: { appendCBOR: false },
      outputSelection: { "*": { Sample: ["abi", "evm.bytecode.object", "storageLayout"] } },
    },
  };
  const output: Compiled = JSON.parse(solc.compile(JSON.stringify(input)));
  const errors = (output.errors ?? []).filter((error) => error.severity === "error");
  if (errors.length > 0) throw new Error(errors.map((e) => e.formattedMessage).join("\n"));
  const { abi, evm, storageLayout } = output.contracts["sample-contract.sol"].Sample;
  const slots = storageLayout.storage.map(({ label, slot }) => [label, Number(slot)] as const);
  const result = {
    solc: solc.version(),
    slots: Object.fromEntries(slots),
    abi,
    bytecode: `0x${evm.bytecode.object}`,
  };
  return `${JSON.stringify(result, null, 2)}\n`;
}

if (import.meta.main) writeFileSync(artefact, compileSampleContract());
