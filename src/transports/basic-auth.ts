import { basicCredentials } from "../wire/client/basic-credentials.ts";

/** The header that a URL with a login stands for; none without one. */
export function basicAuth(url: URL): Record<string, string> {
  const value = basicCredentials(url);
  return value === undefined ? {} : { authorization: value };
}
