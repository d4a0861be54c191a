import { curlLine } from "./curl-lines.ts";

/** Where a network of `tollgate dev` is served, and with which key. */
export type DevAddress = {
  /** `http://127.0.0.1:PORT/NETWORK` */
  readonly base: string;
  /** `ws://127.0.0.1:PORT/NETWORK` */
  readonly wsBase: string;
  readonly apiKey: string;
};

type BannerOptions = {
  readonly evm: DevAddress;
  readonly slots: DevAddress;
  /** `http://127.0.0.1:PORT` of the admin port. */
  readonly adminUrl: string | undefined;
  /** Undefined where the dashboard does not serve yet. */
  readonly page: { readonly url: string; readonly signInLink: string } | undefined;
};

/**
 * What `tollgate dev` prints once everything serves. With the four rows that npm prints before, it fills
 * at most 24 rows of 80 columns, and the link that signs in stands in the last of them: a terminal of
 * that size is the smallest that is common.
 */
export function bannerLines({ evm, slots, adminUrl, page }: BannerOptions): string[] {
  return [
    "A local EVM chain with sample contracts",
    ...networkLines(evm, "eth_chainId"),
    "",
    "A slot network, from a ledger of files",
    ...networkLines(slots, "getSlot"),
    "",
    `API key    ${evm.apiKey}`,
    ...(adminUrl === undefined ? [] : [`Admin      ${adminUrl}/metrics`]),
    `More       dev --examples has more calls; docs: ${page === undefined ? "docs/" : `${page.url}/docs/`}`,
    ...(page === undefined ? [] : [`Dashboard  ${page.url}`, `Sign in    ${page.signInLink}`]),
  ];
}

function networkLines({ base, wsBase, apiKey }: DevAddress, method: string): string[] {
  const url = `${base}/v3/${apiKey}`;
  return [`HTTP       ${url}`, `WebSocket  ${wsBase}/ws/v3/${apiKey}`, curlLine(url, method, [])];
}
