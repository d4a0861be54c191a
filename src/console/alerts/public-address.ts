import { type Ip, isInRange, parseIp, parseIpRange } from "../../access/ip-ranges.ts";

/**
 * The ranges that the registries of special addresses (RFC 6890, IANA) keep for machines, links and sites,
 * for documents and tests, and for many receivers at once; and those that carry an IPv4 address within
 * an IPv6 one (NAT64, 6to4, Teredo), which would lead there all the same.
 */
const SPECIAL = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
].flatMap((range) => parseIpRange(range) ?? []);

/** All unicast addresses of IPv6 that were given out. */
const GLOBAL_IPV6 = parseIpRange("2000::/3");

/** Whether an address belongs to a host of the Internet, not to this machine or its own networks. */
export function isPublicAddress(address: string): boolean {
  const ip: Ip | undefined = parseIp(address);
  if (ip === undefined || SPECIAL.some((range) => isInRange(ip, range))) return false;
  return ip.length === 1 || (GLOBAL_IPV6 !== undefined && isInRange(ip, GLOBAL_IPV6));
}
