/** Calls that need more than one request: of a filter that was made before, and over a WebSocket. */
import type { Definition } from "../src/methods/definition.ts";
import { exampleOf } from "../src/methods/example.ts";
import { FAMILIES, type Family } from "../src/methods/families.ts";

/** The networks of `npm start`. */
export const DEV_NETWORKS: Readonly<Record<Family["name"], string>> = {
  evm: "dev",
  slot: "dev-slots",
};

const JSON_HEADER = "-H 'content-type: application/json'";

/** Makes a filter, and asks for it by its id. */
export function twoCalls(method: string, url: string): string {
  const making =
    '{"jsonrpc":"2.0","id":1,"method":"eth_newFilter","params":[{"fromBlock":"latest"}]}';
  const asking = `{\\"jsonrpc\\":\\"2.0\\",\\"id\\":2,\\"method\\":\\"${method}\\",\\"params\\":[\\"$ID\\"]}`;
  return `ID=$(curl -s ${url} \\
  ${JSON_HEADER} \\
  -d '${making}' \\
  | sed 's/.*"result":"\\([^"]*\\)".*/\\1/')
curl -s ${url} \\
  ${JSON_HEADER} \\
  -d "${asking}"`;
}

/** Subscribes, and ends the subscription where the method does that. Node 24 and browsers have a WebSocket. */
export function streamSnippet({ method, own }: Definition, family: Family["name"]): string {
  const subscribe = method.replace("Unsubscribe", "Subscribe").replace("unsubscribe", "subscribe");
  const params = exampleOf(FAMILIES[family].lookUp(subscribe)?.params ?? []) ?? [];
  const call = (id: number, name: string, list: string) =>
    `socket.send(JSON.stringify({ jsonrpc: "2.0", id: ${id}, method: "${name}", params: ${list} }));`;
  const ends = own === "unsubscribe";
  const then = ends ? `\n  if (id === 1 && !error) ${call(2, method, "[result]")}` : "";
  const last = ends ? "id === 2 || error" : "id === 1";
  return `const socket = new WebSocket("ws://127.0.0.1:8545/${DEV_NETWORKS[family]}/ws/v3/KEY");

socket.onopen = () => ${call(1, subscribe, JSON.stringify(params))}
socket.onmessage = ({ data }) => {
  console.log(data);
  const { id${ends ? ", result, error" : ""} } = JSON.parse(data);${then}
  if (${last}) socket.close();
};`;
}
