import { describe, expect, test } from "vitest";
import type { AllowLists } from "../storage/store.ts";
import {
  type AllowPolicy,
  checkCall,
  checkRequest,
  compileAllowLists,
  corsOrigin,
  type RequestFacts,
} from "./allow-lists.ts";

const policy = (lists: AllowLists): AllowPolicy => {
  const compiled = compileAllowLists(lists);
  if (compiled === undefined) throw new Error("restricts nothing");
  return compiled;
};

const request: RequestFacts = {
  network: "mainnet",
  origin: "https://app.example.com",
  ip: "10.1.2.3",
  agent: "Mozilla/5.0 my-app/2",
};
const ask = (lists: AllowLists, over: Partial<RequestFacts> = {}) =>
  checkRequest(policy(lists), { ...request, ...over });

const [A, B, C] = ["a", "b", "c"].map((digit) => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
];

test("a key without entries has no policy at all", () => {
  expect(compileAllowLists({})).toBeUndefined();
  expect(compileAllowLists({ ip: [], origin: [] })).toBeUndefined();
});

describe("a request as a whole", () => {
  test.each([
    ["network", { network: ["sepolia", "mainnet"] }, { network: "base" }],
    ["origin", { origin: ["https://*.example.com"] }, { origin: "https://example.org" }],
    ["ip", { ip: ["192.0.2.1", "10.0.0.0/8"] }, { ip: "11.0.0.1" }],
    ["agent", { agent: ["curl", "my-app"] }, { agent: "My-App" }],
  ] as const)("is let in by one entry of kind %s and refused by none", (kind, lists, other) => {
    expect(ask(lists)).toBeUndefined();
    expect(ask(lists, other)).toBe(kind);
  });

  test("is judged by what it comes with, not by what the one before came with", () => {
    const lists = policy({ origin: ["app.example.com"], ip: ["10.0.0.0/8"] });
    const other = { origin: "https://example.org", ip: "11.0.0.1" };
    for (let time = 0; time < 2; time += 1) {
      expect(checkRequest(lists, request)).toBeUndefined();
      expect(checkRequest(lists, { ...request, origin: other.origin })).toBe("origin");
      expect(checkRequest(lists, { ...request, ip: other.ip })).toBe("ip");
    }
  });

  test.each(["origin", "ip", "agent"] as const)(
    "without a value for kind %s is refused",
    (kind) => {
      const lists = { origin: ["app.example.com"], ip: ["10.1.2.3"], agent: ["my-app"] };
      expect(ask(lists)).toBeUndefined();
      expect(ask(lists, { [kind]: undefined })).toBe(kind);
      expect(ask(lists, { [kind]: "" })).toBe(kind);
    },
  );

  test("has to satisfy every kind that is listed, and no other", () => {
    const lists = { network: ["mainnet"], ip: ["10.0.0.0/8"] };
    expect(ask(lists, { origin: undefined, agent: undefined })).toBeUndefined();
    expect(ask(lists, { ip: "11.0.0.1" })).toBe("ip");
    expect(ask(lists, { network: "base", ip: "11.0.0.1" })).toBe("network");
  });

  test("is not looked at by kinds that are about a call", () => {
    expect(ask({ method: ["eth_call"], contract: [A] })).toBeUndefined();
  });

  test("is refused by a list whose entries cannot be read: damage opens nothing", () => {
    expect(ask({ ip: ["everywhere"] })).toBe("ip");
    expect(ask({ origin: ["*"] })).toBe("origin");
    expect(checkCall(policy({ method: ["eth call"] }), "eth call", undefined)).toBe("method");
  });
});

describe("a call", () => {
  test("is let in by one fitting method", () => {
    const methods = policy({ method: ["eth_get*", "eth_call"] });
    expect(checkCall(methods, "eth_getLogs", [])).toBeUndefined();
    expect(checkCall(methods, "eth_call", [A])).toBeUndefined();
    expect(checkCall(methods, "eth_chainId", undefined)).toBe("method");
  });

  test("has to name allowed contracts alone, and at least one where its method can", () => {
    const contracts = policy({ contract: [A, B] });
    expect(checkCall(contracts, "eth_call", [A])).toBeUndefined();
    expect(checkCall(contracts, "eth_getLogs", [A, B])).toBeUndefined();
    expect(checkCall(contracts, "eth_getLogs", [A, C])).toBe("contract");
    expect(checkCall(contracts, "eth_call", [])).toBe("contract");
    expect(checkCall(contracts, "eth_chainId", undefined)).toBeUndefined();
  });

  test("has to satisfy both kinds", () => {
    const both = policy({ method: ["eth_call"], contract: [A] });
    expect(checkCall(both, "eth_call", [A])).toBeUndefined();
    expect(checkCall(both, "eth_call", [B])).toBe("contract");
    expect(checkCall(both, "eth_getCode", [A])).toBe("method");
  });
});

test("a browser may read answers from any origin, or from those that the key lists", () => {
  const listed = policy({ origin: ["https://*.example.com"] });
  expect(corsOrigin(undefined, "https://evil.test")).toBe("*");
  expect(corsOrigin(policy({ ip: ["10.0.0.0/8"] }), undefined)).toBe("*");
  expect(corsOrigin(listed, "https://app.example.com")).toBe("https://app.example.com");
  expect(corsOrigin(listed, "https://evil.test")).toBeUndefined();
  expect(corsOrigin(listed, "null")).toBeUndefined();
  expect(corsOrigin(listed, undefined)).toBeUndefined();
});
