import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ClientAddress } from "./client-address.ts";

describe("without trusted proxies", () => {
  test("the client is the other end of the connection, whatever a header says", () => {
    const addresses = new ClientAddress([]);
    expect(addresses.of("192.0.2.1", "10.0.0.1")).toBe("192.0.2.1");
    expect(addresses.of("::ffff:192.0.2.1", undefined)).toBe("192.0.2.1");
    expect(addresses.of("2001:DB8::1", "10.0.0.1")).toBe("2001:db8::1");
    expect(addresses.of("", undefined)).toBeUndefined();
  });
});

describe("behind trusted proxies", () => {
  const addresses = new ClientAddress(["10.0.0.0/8", "fd00::/8"]);

  test("requests of different clients through one proxy are told apart, whichever came last", () => {
    for (const client of ["192.0.2.1", "192.0.2.2", undefined, "192.0.2.1"]) {
      expect(addresses.of("10.0.0.1", client)).toBe(client ?? "10.0.0.1");
      expect(addresses.of("10.0.0.2", client)).toBe(client ?? "10.0.0.2");
    }
  });

  test.each([
    ["10.0.0.1", "192.0.2.1", "192.0.2.1"],
    ["::ffff:10.0.0.1", "192.0.2.1", "192.0.2.1"],
    ["10.0.0.1", "192.0.2.1, 10.0.0.2,fd00::1", "192.0.2.1"],
    ["10.0.0.1", "10.9.9.9, 192.0.2.1, 10.0.0.2", "192.0.2.1"],
    ["10.0.0.1", "192.0.2.1:4711", "192.0.2.1"],
    ["10.0.0.1", "[2001:db8::1]:4711", "2001:db8::1"],
    ["10.0.0.1", "2001:db8::1", "2001:db8::1"],
    ["10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
    ["10.0.0.1", undefined, "10.0.0.1"],
    ["10.0.0.1", "", "10.0.0.1"],
    ["192.0.2.9", "10.0.0.1", "192.0.2.9"],
    ["10.0.0.1", "10.0.0.4, unknown", undefined],
    ["10.0.0.1", "192.0.2.1, _hidden, 10.0.0.2", undefined],
    ["10.0.0.1", ",", undefined],
  ])("connection %s, header %j: the client is %s", (peer, header, client) => {
    expect(addresses.of(peer, header)).toBe(client);
  });

  test("what a client puts before the last untrusted address changes nothing", () => {
    const invented = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string({ maxLength: 30 }));
    fc.assert(
      fc.property(fc.array(invented), (before) => {
        const header = [...before, "192.0.2.1", "10.0.0.2"].join(", ");
        expect(addresses.of("10.0.0.1", header)).toBe("192.0.2.1");
      }),
    );
  });
});
