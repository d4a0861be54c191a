import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestGateway, strangeKey, type TestGateway } from "../support/gateway.ts";
import { ask, INVALID_KEY, refusalOf } from "./ask.ts";

let gateway: TestGateway;

beforeAll(async () => {
  const upstreams = [{ name: "node", url: "http://127.0.0.1:9" }];
  const network = (name: string, chainId: number, hosts: string[] = []) => ({
    name,
    family: "evm",
    chainId,
    hosts,
    upstreams,
  });
  gateway = await startTestGateway({
    networks: [network("net", 1), network("other", 2, ["other.example.com"])],
  });
});
afterAll(() => gateway.stop());

const HOW =
  "write /<network>/v3/<API_KEY> for HTTP POST or /<network>/ws/v3/<API_KEY> for WebSocket; networks: net, other";
const at = async (target: string, host?: string) => {
  const headers = host === undefined ? {} : { Host: host };
  const { status, text } = await ask(gateway.port, { target, headers });
  return { status, answer: JSON.parse(text) };
};
const served = (chainId: number) => ({
  status: 200,
  answer: { jsonrpc: "2.0", id: 1, result: `0x${chainId}` },
});
const notFound = (details: string) => ({
  status: 404,
  answer: refusalOf(404, "Not Found", details),
});
const unauthorized = { status: 401, answer: INVALID_KEY };

describe("an address that names no network or path is 404 and says what would be right", () => {
  test.each([
    ["an unknown network", "/nope/v3/KEY", `no network "nope"; ${HOW}`],
    ["no network", "/v3/KEY", `the address names no network; ${HOW}`],
    ["the root", "/", `no network of this name; ${HOW}`],
    ["two slashes", "//v3/KEY", `no network of this name; ${HOW}`],
    ["a network in another case", "/NET/v3/KEY", `no network of this name; ${HOW}`],
    ["a network alone", "/net", `no version in the address; ${HOW}`],
    ["another version", "/net/v4/KEY", `no version "v4" in the address; ${HOW}`],
    [
      "the version in another case",
      "/net/V3/KEY",
      `no version of this name in the address; ${HOW}`,
    ],
    ["ws alone", "/net/ws", `no version in the address; ${HOW}`],
    ["a slash after the key", "/net/v3/KEY/", `the path goes on after the API key; ${HOW}`],
    ["more after the key", "/net/v3/KEY/more", `the path goes on after the API key; ${HOW}`],
    ["a slash before the key", "/net/v3//KEY", `the path goes on after the API key; ${HOW}`],
    ["a percent-encoded network", "/%6eet/v3/KEY", `no network of this name; ${HOW}`],
    ["dots", "/net/../net/v3/KEY", `no version ".." in the address; ${HOW}`],
    [
      "a POST on the WebSocket's address",
      "/net/ws/v3/KEY",
      "this address is for WebSocket; send HTTP POST to /<network>/v3/<API_KEY>",
    ],
  ])("%s", async (_name, target, details) => {
    expect(await at(target.replace("KEY", gateway.key))).toEqual(notFound(details));
  });

  test.each([
    ["a key in the network's place", "/KEY"],
    ["a key in the version's place", "/net/KEY"],
    ["a key before the version", "/KEY/v3/net"],
    ["a key that is 32 hexadecimal digits", `/${"0123456789abcdef".repeat(2)}/v3/x`],
    ["a key in lower case", "/tg_6abcdefghijk/v3/x"],
  ])("a refusal does not show what may be a key: %s", async (_name, written) => {
    const target = written.replace("KEY", gateway.key);
    const { status, text } = await ask(gateway.port, { target });
    expect(status).toBe(404);
    const secret = target.split("/").find((part) => part.length > 12) ?? "none";
    expect(text).not.toContain(secret);
    expect(gateway.log()).not.toContain(secret);
  });
});

describe("a network's own host", () => {
  test.each([
    "other.example.com",
    "OTHER.Example.COM",
    "other.example.com.",
    "other.example.com:80",
    "other.example.com.:8545",
  ])("%s needs no name in the path, and takes it", async (host) => {
    expect(await at(`/v3/${gateway.key}`, host)).toEqual(served(2));
    expect(await at(`/other/v3/${gateway.key}`, host)).toEqual(served(2));
  });

  test("and a path of another network are 404", async () => {
    const details = `this host is of the network other, the path of net; ${HOW}`;
    const answer = await at(`/net/v3/${gateway.key}`, "other.example.com");
    expect(answer).toEqual(notFound(details));
  });

  test("serves another host by the path alone", async () => {
    expect(await at(`/net/v3/${gateway.key}`, "elsewhere.example.com")).toEqual(served(1));
    expect(await at(`/v3/${gateway.key}`, "sub.other.example.com")).toEqual(
      notFound(`the address names no network; ${HOW}`),
    );
  });
});

describe("the form of the request target", () => {
  test("a query is ignored", async () => {
    expect(await at(`/net/v3/${gateway.key}?a=/b?c`)).toEqual(served(1));
    expect(await at(`/net/v3/?key=${gateway.key}`)).toEqual(unauthorized);
  });

  test("a fragment is 400", async () => {
    expect(await at(`/net/v3/${gateway.key}#top`)).toEqual({
      status: 400,
      answer: refusalOf(400, "Bad Request", "a fragment in the target"),
    });
  });

  test("the absolute form is taken, and its host counts before the header's", async () => {
    expect(await at(`http://a.example/net/v3/${gateway.key}`)).toEqual(served(1));
    expect(await at(`HTTP://OTHER.example.com:1/v3/${gateway.key}?q`, "b")).toEqual(served(2));
    const own = "other.example.com";
    expect(await at(`http://a/v3/${gateway.key}`, own)).toEqual(
      notFound(`the address names no network; ${HOW}`),
    );
  });
});

describe("a path without a usable key is 401, whatever is wrong with it", () => {
  test.each([
    ["no key", "/net/v3"],
    ["an empty key", "/net/v3/"],
    ["an empty key on a network's own host", "/v3/"],
    ["a malformed key", "/net/v3/abc"],
    ["an unknown key", `/net/v3/${strangeKey()}`],
    ["a percent-encoded key", "/net/v3/PERCENT"],
    ["a key in another case", "/net/v3/LOWER"],
    ["a key and a byte more", "/net/v3/KEYx"],
  ])("%s", async (_name, written) => {
    const { key } = gateway;
    const encoded = `%${key.charCodeAt(0).toString(16)}${key.slice(1)}`;
    const target = written
      .replace("KEY", key)
      .replace("PERCENT", encoded)
      .replace("LOWER", key.toLowerCase());
    const host = target.startsWith("/v3") ? "other.example.com" : undefined;
    expect(await at(target, host)).toEqual(unauthorized);
  });
});
