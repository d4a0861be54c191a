export type Call = readonly [method: string, params: readonly unknown[]];
export type Group = readonly [comment: string, ...calls: Call[]];

/** Where a network of `tollgate dev` is served. */
export function addressLines(options: {
  readonly base: string;
  readonly wsBase: string;
  readonly apiKey: string;
}): string[] {
  return [
    `HTTP       ${options.base}/v3/${options.apiKey}`,
    `WebSocket  ${options.wsBase}/ws/v3/${options.apiKey}`,
  ];
}

/** Each call is one line that begins with `curl `; each group begins with a comment. */
export function curlLines(url: string, groups: readonly Group[]): string[] {
  return groups.flatMap(([comment, ...calls]) => [
    "",
    `# ${comment}`,
    ...calls.map(([method, params]) => curl(url, method, params)),
  ]);
}

/** For a POSIX shell: nothing in the samples holds a single quote. */
function curl(url: string, method: string, params: readonly unknown[]): string {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return `curl -s ${url} -H 'content-type: application/json' -d '${body}'`;
}
