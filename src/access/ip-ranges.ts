import { isIPv4, isIPv6 } from "node:net";

/**
 * An address as 32-bit words, the highest first: one of IPv4, four of IPv6. An IPv4-mapped address
 * (`::ffff:10.0.0.1`, as sockets of both families give) is the IPv4 address that it stands for.
 */
export type Ip = readonly number[];

/** The addresses that share so many leading bits; the words beyond are zero. */
export type IpRange = { readonly base: Ip; readonly bits: number };

const MAPPED_BITS = 96;

/** Undefined where the text is no address. A zone (`fe80::1%eth0`) is left out. */
export function parseIp(text: string): Ip | undefined {
  if (isIPv4(text)) return [ipv4Word(text)];
  return isIPv6(text) ? unmapped(ipv6Words(text)) : undefined;
}

/** An address, or a range in CIDR form, whose bits beyond the length count for nothing. */
export function parseIpRange(text: string): IpRange | undefined {
  const [, address = "", length] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  if (isIPv4(address)) {
    const bits = Number(length ?? 32);
    return bits > 32 ? undefined : { base: masked([ipv4Word(address)], bits), bits };
  }
  const bits = Number(length ?? 128);
  if (!isIPv6(address) || bits > 128) return undefined;
  // A range that is wider than that of the mapped addresses holds IPv6 addresses alone.
  const base = unmapped(masked(ipv6Words(address), bits));
  return { base, bits: base.length === 1 ? bits - MAPPED_BITS : bits };
}

/** `10.0.0.1`, `10.0.0.0/8`, `fd00::/8`: IPv6 as RFC 5952 writes it. */
export function formatIpRange({ base, bits }: IpRange): string {
  return bits === base.length * 32 ? formatIp(base) : `${formatIp(base)}/${bits}`;
}

export function formatIp(ip: Ip): string {
  const [word = 0] = ip;
  if (ip.length === 1) return [24, 16, 8, 0].map((shift) => (word >>> shift) & 255).join(".");
  const groups = ip.flatMap((each) => [each >>> 16, each & 0xffff]);
  const written = groups.map((group) => group.toString(16)).join(":");
  return new URL(`http://[${written}]`).hostname.slice(1, -1);
}

export function isInRange(ip: Ip, { base, bits }: IpRange): boolean {
  if (ip.length !== base.length) return false;
  for (let place = 0; place < base.length; place += 1) {
    if (((ip[place] ?? 0) & maskOf(bits, place)) >>> 0 !== base[place]) return false;
  }
  return true;
}

function masked(words: Ip, bits: number): Ip {
  return words.map((word, place) => (word & maskOf(bits, place)) >>> 0);
}

/** The mask of one word; a shift by 32 would shift by none. */
function maskOf(bits: number, place: number): number {
  const own = Math.min(Math.max(bits - place * 32, 0), 32);
  return own === 0 ? 0 : -1 << (32 - own);
}

function unmapped(words: Ip): Ip {
  const [first, second, third, last = 0] = words;
  return first === 0 && second === 0 && third === 0xffff ? [last] : words;
}

function ipv4Word(text: string): number {
  let word = 0;
  for (const part of text.split(".")) word = word * 256 + Number(part);
  return word;
}

function ipv6Words(text: string): Ip {
  const [plain = ""] = text.split("%", 1);
  const [head = "", tail] = plain.split("::");
  const left = hextets(head);
  const right = tail === undefined ? [] : hextets(tail);
  const groups = [...left, ...Array(8 - left.length - right.length).fill(0), ...right];
  return [0, 2, 4, 6].map((place) => (groups[place] ?? 0) * 0x1_0000 + (groups[place + 1] ?? 0));
}

function hextets(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return [Number.parseInt(group, 16)];
    const word = ipv4Word(group);
    return [word >>> 16, word & 0xffff];
  });
}
