/** A call as it stands in the page's address; no key and no answer is part of it. */
export type SharedCall = {
  readonly network: string;
  readonly method: string;
  readonly params: readonly unknown[] | undefined;
};

/** Longer lists are not written into the address: browsers and chats cut it. */
const MOST_CHARACTERS = 2000;

export function readAddress(search: string): SharedCall {
  const query = new URLSearchParams(search);
  const text = query.get("params");
  return {
    network: query.get("network") ?? "",
    method: query.get("method") ?? "",
    params: text === null ? undefined : readList(text),
  };
}

function readList(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function writeAddress({ network, method, params }: SharedCall): string {
  const query = new URLSearchParams({ network, method });
  const text = JSON.stringify(params ?? []);
  if (params !== undefined && text.length <= MOST_CHARACTERS) query.set("params", text);
  return `/explorer?${query}`;
}
