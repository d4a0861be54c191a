import { expect } from "vitest";
import {
  bodySchema,
  isStream,
  type Operation,
  smallest,
  smallestQuery,
  urlOf,
} from "./openapi-document.ts";
import type { Person, Rig } from "./support.ts";

/** What an operation answers to somebody; a stream that lets them in is left at once. */
export async function statusOf(
  { rig, ids }: { readonly rig: Rig; readonly ids: Readonly<Record<string, string>> },
  person: Person,
  operation: Operation,
): Promise<number> {
  const url = urlOf(operation, { network: "mainnet", upstream: "geth", ...ids });
  const query = smallestQuery(operation);
  // One that is begun by a POST ends with the gateway, which is not there.
  if (isStream(operation) && operation.method === "GET") {
    const { headers } = person;
    const reply = await rig.app.inject({ url, headers, payloadAsStream: true });
    reply.stream().destroy();
    return reply.statusCode;
  }
  const schema = bodySchema(operation);
  const reply = await person.ask(
    operation.method,
    query === "" ? url : `${url}?${query}`,
    schema && { body: smallest(schema) },
  );
  if (reply.statusCode >= 400) expect(Object.keys(reply.json())).toEqual(["error"]);
  return reply.statusCode;
}
