import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** Of 127.0.0.1: what needs to be known before it is opened, such as a public address. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
