/** The first route of that path, with the values of its names. */
export function matchRoute<R extends { readonly path: string }>(
  routes: readonly R[],
  path: string,
): { readonly route: R; readonly params: Readonly<Record<string, string>> } | undefined {
  const given = segments(path);
  for (const route of routes) {
    const params = matchSegments(segments(route.path), given);
    if (params !== undefined) return { route, params };
  }
  return undefined;
}

function segments(path: string): readonly string[] {
  return path.split("/").filter((segment) => segment !== "");
}

function matchSegments(wanted: readonly string[], given: readonly string[]) {
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? "";
    if (segment.startsWith(":")) params[segment.slice(1)] = decode(value);
    else if (segment !== value) return undefined;
  }
  return params;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A path of this site out of an untrusted text; anything else is `/`. */
export function safePath(text: string | null, origin: string): string {
  if (text === null || !text.startsWith("/")) return "/";
  const url = URL.parse(text, origin);
  if (url === null || url.origin !== origin) return "/";
  // Of `/.//evil.example` the path is `//evil.example`, which would name another site.
  return url.pathname.startsWith("//") ? "/" : url.pathname + url.search;
}
