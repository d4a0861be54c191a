import { connect } from "node:net";
import { Dialer } from "../wire/client/dialer.ts";
import type { Way } from "../wire/client/way.ts";

/** For a WebSocket that needs certificates of its own or a proxy; undefined where the library's own way will do. */
export function wsDialer(url: URL, { tls, proxy }: Way): Dialer | undefined {
  return tls === undefined && proxy === undefined
    ? undefined
    : new Dialer(url, connect, { tls, proxy });
}
