import { encodeCall, word } from "./abi.ts";
import { rpc } from "./rpc.ts";
import contract from "./sample-contract.json" with { type: "json" };
import signatures from "./sample-signatures.json" with { type: "json" };
import { CONTRACT, CREATION, GREETING, readSamples, type Samples, SENT } from "./samples.ts";

/** 2 gwei: above the 1 gwei that the base fee of a fresh chain starts at and falls from. */
const PRICE = "0x77359400";
const FEES = { maxFeePerGas: PRICE, maxPriorityFeePerGas: "0x1" };
/** Given with every transaction, so that the failing one is not caught by an estimate. */
const GAS = "0x30d40";

/**
 * Deploys the sample contract in block 1 and sends transactions of types 0 to 4, a failing one
 * among them, in block 2; a chain that holds blocks already is left as it is.
 * @throws Error where the chain is neither empty nor one that was seeded so
 */
export async function seedChain(url: string): Promise<Samples> {
  if ((await rpc(url, "eth_blockNumber")) === "0x0") await sendAll(url);
  return readSamples(url);
}

async function sendAll(url: string): Promise<void> {
  const [from = "", receiver = ""] = await rpc<string[]>(url, "eth_accounts");
  const send = (transaction: object) => rpc(url, "eth_sendTransaction", [{ from, ...transaction }]);
  await send({ type: "0x2", data: CREATION, gas: "0x1e8480", ...FEES });
  await rpc(url, "evm_mine");
  for (const transaction of calls(receiver)) await send(transaction);
  await withBlobUnchecked(url, async () => {
    await rpc(url, "eth_sendRawTransaction", [signatures.blob.raw]);
    await rpc(url, "evm_mine");
  });
}

/**
 * anvil checks no blob of an account that it impersonates; the signature is the account's own all
 * the same. To check one it first loads the trusted setup, some 3 s of computing; and from then on
 * it shows the blob, 260 kB of text, with the transaction, which no other node does.
 */
async function withBlobUnchecked(url: string, send: () => Promise<void>): Promise<void> {
  const { sender } = signatures.blob;
  await rpc(url, "anvil_impersonateAccount", [sender]);
  await send();
  await rpc(url, "anvil_stopImpersonatingAccount", [sender]);
}

/** All types but 3. One sender, so that nonces keep this order. */
function calls(receiver: string): object[] {
  const target = { to: CONTRACT, gas: GAS };
  const position = `0x${word(contract.slots.counter)}`;
  const accessList = [{ address: CONTRACT, storageKeys: [position] }];
  const transfer = encodeCall("transfer(address,uint256)", [receiver, SENT]);
  const { authority, authorization } = signatures.setCode;
  const delegated = {
    to: authority,
    data: encodeCall("setGreeting(string)", ["Hello from a delegated account"]),
    authorizationList: [authorization],
  };
  return [
    { ...target, type: "0x0", data: transfer, gasPrice: PRICE },
    { ...target, type: "0x1", data: encodeCall("count()"), gasPrice: PRICE, accessList },
    { ...target, type: "0x2", data: encodeCall("setGreeting(string)", [GREETING]), ...FEES },
    { ...target, type: "0x4", ...delegated, ...FEES },
    { ...target, type: "0x2", data: encodeCall("refuse(string)", ["on purpose"]), ...FEES },
  ];
}
