import { isIP } from "node:net";
import { z } from "zod";
import { DURATION_FORM, parseDuration } from "./duration.ts";

/** Timers of Node fire at once beyond this. */
const MAX_TIMER_MS = 2_147_483_647;

const HOST_NAME = /^(?!-)[\w-]{1,63}(\.[\w-]{1,63})*\.?$/;
const NAME_FORM =
  "use letters, digits, dots, dashes and underscores, and begin with no dot or dash";

export const text = z.string().min(1);
export const count = z.int().min(0);
export const positive = z.int().min(1);
export const port = z.int().min(0).max(65_535);
export const milliseconds = z.int().min(1).max(MAX_TIMER_MS);

/** A duration, which becomes milliseconds. */
export const duration = z
  .string()
  .refine((value) => parseDuration(value) !== undefined, `is no duration; ${DURATION_FORM}`)
  .transform((value) => parseDuration(value) ?? 0);

/** Where to listen: an address of this machine, or a name for one. */
export const listenHost = z
  .string()
  .refine(
    (value) => isIP(value) > 0 || HOST_NAME.test(value),
    "is no address to listen on; give an IP address or a host name, without a port",
  );

/** The name that clients send as Host, compared in lower case and without a trailing dot. */
export const hostName = z
  .string()
  .regex(HOST_NAME, "is no host name; leave out scheme, port and path")
  .transform((value) => value.toLowerCase().replace(/\.$/, ""));

/** An address, or a range in CIDR form, of either family. */
export const addressRange = z.string().refine((value) => {
  const [, address = "", bits = ""] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(value) ?? [];
  const family = isIP(address);
  return family > 0 && Number(bits) <= (family === 4 ? 32 : 128);
}, "is no IP address or range; write it as 10.0.0.1, 10.0.0.0/8 or fd00::/8");

/** Stands in addresses and metric labels; `v3` and `ws` begin a path of their own there. */
export const networkName = z
  .string()
  .regex(/^[a-z0-9_][a-z0-9._-]{0,63}$/, `is no name for a network; lower case only: ${NAME_FORM}`)
  .refine((value) => value !== "v3" && value !== "ws", "may not be v3 or ws; choose another name");

export const plainName = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/, `is no plain name; ${NAME_FORM}`);

/** A URL of one of these schemes, which may hold a user and a password, percent-encoded. */
export const urlOf = (schemes: readonly string[], right: string) =>
  z.string().refine((value) => isUrl(value, schemes), `is no URL that can be used here; ${right}`);

/** `file:PATH` or `sqlite:PATH`, absolute or relative to the file; `//host` is no path. */
export const localUrl = (scheme: "file" | "sqlite") => new RegExp(`^${scheme}:(?!//(?!/)).`);

/** Headers that the gateway's HTTP client writes itself; a second one corrupts the request. */
const OWN_HEADERS =
  /^(connection|content-length|content-type|expect|keep-alive|transfer-encoding|upgrade)$/i;

export const headers = z.record(
  z
    .string()
    .regex(/^[\w!#$%&'*+.^`|~-]+$/, "is no name of an HTTP header")
    .refine((name) => !OWN_HEADERS.test(name), "is a header that the gateway sets itself"),
  z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, "has characters that no header may hold"),
);

/** The figures of a plan that the file may set; a built-in plan keeps the others. */
export const planFigures = z.strictObject({
  dailyCredits: count.optional(),
  creditsPerSecond: count.optional(),
  failover: z.boolean().optional(),
  maxKeys: positive.optional(),
  maxSubscriptions: positive.optional(),
});
export type PlanFigures = z.output<typeof planFigures>;

function isUrl(value: string, schemes: readonly string[]): boolean {
  const [, scheme = ""] = /^([a-z]+):\/\/[^\s/]\S*$/i.exec(value) ?? [];
  if (!schemes.includes(scheme.toLowerCase()) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}
