/** Stands in every secret that a test gives to a gateway for its nodes: the whole run's search looks for it. */
export const UPSTREAM_SECRET = "upstreamsecret7f3a9c51d2";
type Upstream = { readonly url?: unknown };

/** As in a configuration file, with a secret in each node's URL that says nothing but host and port. */
export function withSecrets<Network extends object>(networks: readonly Network[]): Network[] {
  return networks.map((network) => {
    const { upstreams } = network as { readonly upstreams?: readonly Upstream[] };
    return upstreams === undefined ? network : { ...network, upstreams: upstreams.map(withSecret) };
  });
}

function withSecret(upstream: Upstream): Upstream {
  const { url } = upstream;
  const bare = typeof url === "string" && /^https?:\/\/[^/?]+\/?$/.test(url);
  return bare ? { ...upstream, url: `${url}?key=${UPSTREAM_SECRET}` } : upstream;
}
