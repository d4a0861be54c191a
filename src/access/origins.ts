import { isIP } from "node:net";

/**
 * An entry as a CSP host source writes it: `https://app.example.com`, `*.example.com`,
 * `http://localhost:*`. Without a scheme any scheme fits; without a port only the scheme's own;
 * `*.` stands for one or more labels, so not for the host without them.
 */
export type OriginPattern = {
  readonly scheme: string | undefined;
  readonly host: string;
  readonly subdomains: boolean;
  /** Decimal; `*` for any; undefined for the scheme's own. */
  readonly port: string | undefined;
};

const SCHEME = "([a-z][a-z0-9+.-]*)://";
const HOST = "(\\[[0-9a-f:.]+\\]|[^\\s/?#@:%*[\\]\\\\]+)";
const ENTRY = new RegExp(`^(?:${SCHEME})?(\\*\\.)?${HOST}(?::(\\d{1,5}|\\*))?/?$`, "i");
const ORIGIN = new RegExp(`^${SCHEME}${HOST}(?::(\\d{1,5}))?$`);
const OWN_PORTS: Readonly<Record<string, string>> = Object.freeze({ http: "80", https: "443" });
const MAX_PORT = 65_535;
/** A name of 253 characters, with a scheme and a port. */
const MAX_LENGTH = 300;

/** Undefined where the text is no origin. */
export function parseOriginPattern(text: string): OriginPattern | undefined {
  const parts = text.length > MAX_LENGTH ? null : ENTRY.exec(text);
  if (parts === null) return undefined;
  const scheme = parts[1]?.toLowerCase();
  const subdomains = parts[2] !== undefined;
  const host = canonicalHost(parts[3] ?? "");
  const port = parts[4] === undefined || parts[4] === "*" ? parts[4] : String(Number(parts[4]));
  if (host === undefined || Number(port) > MAX_PORT) return undefined;
  if (subdomains && isIP(host.replace(/^\[|\]$/g, "")) > 0) return undefined;
  const own = scheme !== undefined && port === OWN_PORTS[scheme];
  return { scheme, host, subdomains, port: own ? undefined : port };
}

export function formatOriginPattern({ scheme, host, subdomains, port }: OriginPattern): string {
  const before = `${scheme === undefined ? "" : `${scheme}://`}${subdomains ? "*." : ""}`;
  return `${before}${host}${port === undefined ? "" : `:${port}`}`;
}

/** Whether one of the patterns fits the value of an Origin header (RFC 6454; `null` fits none). */
export function fitsOrigin(patterns: readonly OriginPattern[], origin: string): boolean {
  const parts = origin.length > MAX_LENGTH ? null : ORIGIN.exec(origin.toLowerCase());
  if (parts === null) return false;
  const [, scheme = "", host = "", given] = parts;
  const own = OWN_PORTS[scheme];
  const port = given === undefined ? own : String(Number(given));
  return patterns.some(
    (pattern) =>
      (pattern.scheme ?? scheme) === scheme &&
      (pattern.subdomains ? host.endsWith(`.${pattern.host}`) : host === pattern.host) &&
      (pattern.port === "*" || (pattern.port ?? own) === port),
  );
}

/** As browsers write it in an Origin header: lower case, IDNA, IP addresses in their own form. */
function canonicalHost(text: string): string | undefined {
  if (!URL.canParse(`http://${text}`)) return undefined;
  const { hostname } = new URL(`http://${text}`);
  // The name of an opaque origin (a file, a sandboxed frame): anybody can have it.
  return hostname === "null" ? undefined : hostname;
}
