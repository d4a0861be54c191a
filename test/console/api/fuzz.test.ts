import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { arbitraryOf, NASTY, nearly } from "./arbitrary.ts";
import { bodySchema, isStream, type Operation, operationsOf, urlOf } from "./openapi-document.ts";
import {
  type LocalServer,
  openRig,
  type Person,
  type Rig,
  STORES,
  startServer,
} from "./support.ts";

const RUNS = 60;

const listing = await openRig();
const operations = (await operationsOf(listing)).filter((one) => !isStream(one));
await listing.close();

/** What the console calls: a gateway that answers everything, and its admin port. */
const startGateway = (): Promise<LocalServer> =>
  startServer((request, response) => {
    const answers: Record<string, string> = { "/networks": '{"networks":[]}', "/metrics": "" };
    const drained = request.url?.startsWith("/networks/");
    response.statusCode = drained ? 404 : 200;
    response.setHeader("x-credits-charged", "1");
    response.end(answers[request.url ?? ""] ?? '{"jsonrpc":"2.0","id":1,"result":null}');
  });

describe.each(STORES)("over the OpenAPI document, with %s storage", (store) => {
  let rig: Rig;
  let gateway: LocalServer;
  let operator: Person;
  let ids: Record<string, string>;
  beforeAll(async () => {
    gateway = await startGateway();
    const { port } = gateway;
    rig = await openRig({ store, gateway: port, admin: port, console: { privateWebhooks: false } });
    const account = await rig.account("operator@example.com", { operator: true, plan: "team" });
    const { key } = await rig.key(account);
    const member = await rig.member(account, "member@example.com");
    const { token } = await rig.token(account);
    operator = rig.person(account.email);
    ids = { account: account.id, key: key.id, member, token: token.id, id: account.id };
  });
  afterAll(async () => {
    await rig.close();
    await gateway.stop();
  });

  test.each(operations)(
    "$method $path: no 5xx, and every answer as the document says",
    async (operation) => {
      // What was sent an hour ago keeps nobody from sending more.
      rig.wait(3_600_000);
      const request = fc.record({
        ids: fc.record(
          Object.fromEntries(pathNames(operation).map((name) => [name, idOf(ids[name])])),
        ),
        query: queryOf(operation),
        body: nearly(bodySchema(operation) ?? {}),
      });
      const replies = repliesOf(operation);
      let answered = 0;
      await fc.assert(
        fc.asyncProperty(request, async ({ ids: named, query, body }) => {
          const url = urlOf(operation, named) + queryText(query);
          const hasBody = bodySchema(operation) !== undefined;
          const reply = await operator.ask(operation.method, url, hasBody ? { body } : {});
          const label = `${url} ${JSON.stringify(body)}: ${reply.statusCode} ${reply.body.slice(0, 300)}`;
          expect(reply.statusCode, label).toBeLessThan(500);
          const schema = replies(reply.statusCode);
          if (reply.statusCode === 204) return void expect(reply.body).toBe("");
          if (reply.statusCode < 400) answered += 1;
          if (reply.headers["content-type"]?.startsWith("text/csv")) return;
          expect(reply.headers["content-type"], label).toMatch(/^application\/json/);
          const fault = schema.safeParse(reply.json()).error;
          expect(fault, `${label}: ${fault?.message}`).toBeUndefined();
        }),
        { numRuns: RUNS },
      );
      const mayBeGone = /\{(key|member|token|upstream)\}/.test(operation.path);
      if (!mayBeGone)
        expect(answered, "none was right: the generator reaches nothing").toBeGreaterThan(0);
    },
  );
});

const pathNames = ({ parameters }: Operation): string[] =>
  parameters.filter((one) => one.in === "path").map(({ name }) => name);

/** Mostly the one that there is. */
function idOf(id: string | undefined): fc.Arbitrary<string> {
  const strange = fc.constantFrom(...NASTY.filter((text) => text.isWellFormed()));
  if (id === undefined) return fc.oneof(fc.constantFrom("mainnet", "geth"), strange);
  return fc.oneof({ weight: 5, arbitrary: fc.constant(id) }, { weight: 1, arbitrary: strange });
}

function queryOf({ parameters }: Operation): fc.Arbitrary<Record<string, unknown>> {
  const asked = parameters.filter((one) => one.in === "query");
  const right = asked.map(({ name, schema }) => [name, arbitraryOf(schema)]);
  const wrong = asked.map(({ name, schema }) => [name, nearly(schema)]);
  const requiredKeys = asked.filter(({ required }) => required).map(({ name }) => name) as never[];
  const needed = right.filter(([name]) => requiredKeys.includes(name as never));
  return fc.oneof(
    fc.record(Object.fromEntries(right), { requiredKeys }),
    // What may be left out may contradict itself.
    fc.record(Object.fromEntries(needed)),
    fc.record(Object.fromEntries(wrong), { requiredKeys: [] }),
  );
}

const textOf = (value: unknown): string =>
  (typeof value === "string" ? value : JSON.stringify(value)).toWellFormed();

function queryText(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).map(([name, value]) => [name, textOf(value)]);
  return pairs.length === 0 ? "" : `?${new URLSearchParams(Object.fromEntries(pairs))}`;
}

/** The schema of an answer, by its status. */
function repliesOf({ responses }: Operation): (status: number) => z.ZodType {
  const schemas = new Map(
    Object.entries(responses).map(([status, { content }]) => {
      const schema = content?.["application/json"]?.schema ?? {};
      return [status, z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])];
    }),
  );
  return (status) => {
    const schema =
      schemas.get(String(status)) ?? (status >= 400 ? schemas.get("default") : undefined);
    if (schema === undefined) throw new Error(`the document says nothing of status ${status}`);
    return schema;
  };
}
