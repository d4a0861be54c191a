export type Call = readonly [method: string, params: readonly unknown[]];
export type Group = readonly [comment: string, ...calls: Call[]];

/** Each call is one line that begins with `curl `; each group begins with a comment. */
export function curlLines(url: string, groups: readonly Group[]): string[] {
  return groups.flatMap(([comment, ...calls]) => [
    "",
    `# ${comment}`,
    ...calls.map(([method, params]) => curlLine(url, method, params)),
  ]);
}

/** For a POSIX shell: nothing in the samples holds a single quote. */
export function curlLine(url: string, method: string, params: readonly unknown[]): string {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return `curl -s ${url} -H 'content-type: application/json' -d '${body}'`;
}
