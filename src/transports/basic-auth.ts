/** The header that a URL with a login stands for; none without one. */
export function basicAuth(url: URL): Record<string, string> {
  if (url.username === "" && url.password === "") return {};
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}
