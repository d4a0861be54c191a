import type { AllowListsView } from "../../../../src/console/contract/common.ts";

export type AllowKind = keyof AllowListsView;

type KindText = {
  readonly kind: AllowKind;
  /** Of the form's choice. */
  readonly label: string;
  readonly many: { readonly one: string; readonly many: string };
  /** What an entry looks like. */
  readonly example: string;
  /** What the list does. */
  readonly hint: string;
};

/** The kinds of allow-lists, as people read them. */
export const KINDS: readonly KindText[] = [
  {
    kind: "network",
    label: "Networks",
    many: { one: "network", many: "networks" },
    example: "mainnet",
    hint: "Only these networks can be called.",
  },
  {
    kind: "method",
    label: "Methods",
    many: { one: "method", many: "methods" },
    example: "eth_call or eth_get*",
    hint: "Only these methods can be called; * matches any ending of a name.",
  },
  {
    kind: "contract",
    label: "Contracts",
    many: { one: "contract", many: "contracts" },
    example: "0x5fbdb2315678afecb367f032d93f642f64180aa3",
    hint: "Calls that name a contract can name only these.",
  },
  {
    kind: "origin",
    label: "Origins of web pages",
    many: { one: "origin", many: "origins" },
    example: "https://app.example.com or https://*.example.com",
    hint: "Only pages of these origins can call; programs that send no Origin cannot.",
  },
  {
    kind: "ip",
    label: "IP addresses",
    many: { one: "address", many: "addresses" },
    example: "203.0.113.7 or 10.0.0.0/8",
    hint: "Only calls from these addresses are let in.",
  },
  {
    kind: "agent",
    label: "User agents",
    many: { one: "user agent", many: "user agents" },
    example: "my-app/2",
    hint: "Only programs whose User-Agent header holds one of these texts.",
  },
];

/** The kinds that have entries, with them. */
export function listKinds(
  allow: AllowListsView,
): readonly (KindText & { readonly entries: readonly string[] })[] {
  return KINDS.flatMap((text) => {
    const entries = allow[text.kind] ?? [];
    return entries.length === 0 ? [] : [{ ...text, entries }];
  });
}
