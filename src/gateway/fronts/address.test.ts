import { describe, expect, test } from "vitest";
import type { Network } from "../../networks/network.ts";
import { type Address, AddressBook } from "./address.ts";

const network = (name: string) => ({ name }) as Network;
const [main, other] = [network("main"), network("v3x")];
const plain = new AddressBook([
  { network: main, hosts: [] },
  { network: other, hosts: [] },
]);
const hosted = new AddressBook([
  { network: main, hosts: ["Main.Example.com"] },
  { network: other, hosts: ["a.example.com", "b.example.com"] },
]);

const found = (network: Network, key: string): Address => ({ network, key });

describe.each([
  ["without hosts", plain],
  ["with hosts", hosted],
])("the address book %s", (_name, book) => {
  test.each<[string, Address]>([
    ["/main/v3/k", found(main, "k")],
    ["/v3x/v3/k", found(other, "k")],
    ["/main/v3/", found(main, "")],
    ["/main/v3", found(main, "")],
    ["/main/v3/%6b", found(main, "%6b")],
    ["/main/v3/k?x", found(main, "k")],
    ["/main/v3?/v3/k", found(main, "")],
    ["http://h/main/v3/k", found(main, "k")],
  ])("%s names a network and a key", (target, address) => {
    expect(book.find("http", target, "h:80")).toEqual(address);
    const websocket = target.replace(/(main|v3x)\/v3/, "$1/ws/v3");
    for (const at of [target, websocket]) {
      expect(book.find("websocket", at, "h"), at).toEqual(address);
    }
  });

  test.each([
    "",
    "*",
    "k",
    "main/v3/k",
    "/main",
    "/main/",
    "/mai/v3/k",
    "/main/v3/k/",
    "/main//v3/k",
    "/ws/v3/k",
    "/main/ws/v3/k",
    "http://h",
    "ftp://h/main/v3/k",
  ])("%s names none", (target) => {
    expect(book.find("http", target, "h")).toMatchObject({ name: "not_found" });
  });

  test("a POST to the form for WebSockets is refused with the right one", () => {
    expect(book.find("http", "/main/ws/v3/k", "h")).toMatchObject({
      details: expect.stringContaining("send HTTP POST to /<network>/v3/<API_KEY>"),
    });
  });
});

describe("hosts of a network's own", () => {
  test.each(["main.example.com", "MAIN.example.COM", "main.example.com.:1", "main.example.com:"])(
    "%s",
    (host) => {
      expect(hosted.find("http", "/v3/k", host)).toEqual(found(main, "k"));
      expect(hosted.find("websocket", "/ws/v3/k", host)).toEqual(found(main, "k"));
      expect(hosted.find("http", "/v3x/v3/k", host)).toMatchObject({ name: "not_found" });
    },
  );

  test("a network may have several", () => {
    for (const host of ["a.example.com", "b.example.com"]) {
      expect(hosted.find("http", "/v3/k", host)).toEqual(found(other, "k"));
    }
  });

  test("a host that is part of another is another", () => {
    for (const host of ["example.com", "xmain.example.com", "main.example.com.x", "", "[::1]:80"]) {
      expect(hosted.find("http", "/v3/k", host)).toMatchObject({ name: "not_found" });
    }
  });
});
