import { isIPv6 } from "node:net";

/** The first 64 bits of an IPv6 address belong to one household or machine. */
const GROUPS_OF_A_NET = 4;
const GROUPS = 8;

/** The address that counts as one client: an IPv4 address, or an IPv6 network of 64 bits. */
export function addressOwner(address = ""): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [plain = ""] = address.split("%");
  const [left = "", right] = plain.split("::");
  const before = left === "" ? [] : left.split(":");
  const after = right === undefined || right === "" ? [] : right.split(":");
  const missing = right === undefined ? 0 : GROUPS - before.length - after.length;
  const groups = [...before, ...Array<string>(Math.max(missing, 0)).fill("0"), ...after];
  const net = groups
    .slice(0, GROUPS_OF_A_NET)
    .map((group) => Number.parseInt(group, 16).toString(16));
  return `${net.join(":")}::/64`;
}
