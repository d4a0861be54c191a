/**
 * Signs what anvil cannot sign for its own accounts, an EIP-7702 authorization and a transaction of
 * type 3, into src/dev/sample-signatures.json: `node scripts/sign-samples.ts`. It signs with the
 * viem of test/outside, so that the program itself needs no signer.
 */
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";

type Signed = { yParity: number; r: string; s: string };
type Account = {
  address: string;
  signAuthorization(request: object): Promise<Signed>;
  signTransaction(transaction: object): Promise<string>;
};
type Accounts = { mnemonicToAccount(mnemonic: string, path: { addressIndex: number }): Account };

const CHAIN_ID = 31337;
/** Where the first creation of anvil's first account lands. */
const CONTRACT = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
/** Public, the same on every machine: anvil's default. */
const MNEMONIC = "test test test test test test test test test test test junk";
/** The versioned hash of an all-zero blob (EIP-4844). */
const BLOB_HASH = "0x010657f37554c781402a22917dee2f75def7ab966d7b770905398eba3c444014";

const target = new URL("../src/dev/sample-signatures.json", import.meta.url);

/**
 * The file's text, the same at every run (RFC 6979). The last of anvil's ten accounts lets the
 * contract's code stand for it; the last but one sends `count()` with a blob, which itself is left
 * out, as in a block. `from` is the module whose `node_modules` hold viem.
 */
export async function signSamples(
  from: URL = new URL("../test/outside/package.json", import.meta.url),
): Promise<string> {
  const accounts: Accounts = createRequire(from)("viem/accounts");
  const sender = accounts.mnemonicToAccount(MNEMONIC, { addressIndex: 8 });
  const authority = accounts.mnemonicToAccount(MNEMONIC, { addressIndex: 9 });
  const request = { address: CONTRACT, chainId: CHAIN_ID, nonce: 0 };
  const { yParity, r, s } = await authority.signAuthorization(request);
  const raw = await sender.signTransaction({
    type: "eip4844",
    chainId: CHAIN_ID,
    nonce: 0,
    to: CONTRACT,
    data: "0x06661abd",
    gas: 200_000n,
    // Below the others of its block, so that anvil puts it last.
    maxFeePerGas: 1_500_000_000n,
    maxPriorityFeePerGas: 1n,
    maxFeePerBlobGas: 1_000_000_000n,
    blobVersionedHashes: [BLOB_HASH],
  });
  const result = {
    blob: { sender: sender.address.toLowerCase(), raw },
    setCode: {
      authority: authority.address.toLowerCase(),
      authorization: {
        chainId: `0x${CHAIN_ID.toString(16)}`,
        address: CONTRACT,
        nonce: "0x0",
        yParity: `0x${yParity}`,
        r,
        s,
      },
    },
  };
  return `${JSON.stringify(result, null, 2)}\n`;
}

if (import.meta.main) writeFileSync(target, await signSamples());
