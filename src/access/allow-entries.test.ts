import fc from "fast-check";
import { expect, test } from "vitest";
import { ALLOW_KINDS } from "../storage/store.ts";
import { parseAllowEntry, readAllowLists } from "./allow-entries.ts";
import { checkCall, checkRequest, compileAllowLists } from "./allow-lists.ts";

const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.string({ unit: fc.constantFrom(..."*.:/[]%=@0123fx eth_"), maxLength: 60 }),
  fc.webUrl(),
  fc.domain(),
  fc.ipV4Extended(),
  fc.ipV6(),
);

test("any text is either read, as something that reads as itself, or refused with a text", () => {
  fc.assert(
    fc.property(fc.constantFrom(...ALLOW_KINDS), texts, (kind, text) => {
      const parsed = parseAllowEntry(kind, text);
      if ("entry" in parsed) expect(parseAllowEntry(kind, parsed.entry)).toEqual(parsed);
      else
        expect(parsed.fault).toMatch(new RegExp(`cannot stand in a list of kind ${kind}; give `));
    }),
    { numRuns: 5000 },
  );
});

test("what is stored never makes a check fail, whatever it is and whatever is asked", () => {
  const lists = fc.record(
    Object.fromEntries(ALLOW_KINDS.map((kind) => [kind, fc.array(texts, { maxLength: 3 })])),
  );
  fc.assert(
    fc.property(lists, texts, (allow, text) => {
      const policy = compileAllowLists(allow);
      if (policy === undefined) return;
      checkRequest(policy, { network: text, origin: text, ip: text, agent: text });
      checkCall(policy, text, [text]);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ["network", " Mainnet ", "mainnet"],
  ["method", "eth_get*", "eth_get*"],
  ["contract", `0x${"AB".repeat(20)}`, `0x${"ab".repeat(20)}`],
  ["origin", "HTTPS://*.Example.com:443/", "https://*.example.com"],
  ["ip", "::FFFF:10.1.2.3/104", "10.0.0.0/8"],
  ["agent", " my-app/2 (test) ", "my-app/2 (test)"],
] as const)("an entry of kind %s is stored in canonical form", (kind, text, entry) => {
  expect(parseAllowEntry(kind, text)).toEqual({ entry });
});

test.each([
  ["network", "main net", "such as mainnet"],
  ["method", "eth_get?", "such as eth_get*"],
  ["contract", "0x1234", "40 hexadecimal digits"],
  ["origin", "https://example.com/app", "without a path"],
  ["ip", "10.0.0.0/33", "such as 10.0.0.1, 10.0.0.0/8 or fd00::/8"],
  ["agent", "Ünïcode", "printable ASCII"],
] as const)("a wrong entry of kind %s is told what would be right", (kind, text, hint) => {
  expect(parseAllowEntry(kind, text)).toEqual({ fault: expect.stringContaining(hint) });
});

test("a fault repeats no more than 80 characters", () => {
  const parsed = parseAllowEntry("contract", "y".repeat(10_000));
  expect("fault" in parsed && parsed.fault.length).toBeLessThan(250);
});

test("lists are read whole: canonical, each entry once, and no list that is empty", () => {
  const lists = { network: ["Mainnet", "mainnet"], ip: ["10.1.2.3/8"], method: [] };
  const allow = { network: ["mainnet"], ip: ["10.0.0.0/8"] };
  expect(readAllowLists(lists, { networks: ["mainnet"] })).toEqual({ allow });
  expect(readAllowLists({}, { networks: [] })).toEqual({ allow: {} });
});

test("a wrong entry is told with its kind, a network that is gone may stay and none such may come", () => {
  const networks = ["mainnet"];
  const ip = { network: ["mainnet"], ip: ["10.0.0.0/33"] };
  expect(readAllowLists(ip, { networks })).toMatchObject({ kind: "ip" });
  const lists = { network: ["gone"] };
  expect(readAllowLists(lists, { networks })).toEqual({
    fault: 'there is no network "gone"; the networks are mainnet',
    kind: "network",
  });
  expect(readAllowLists(lists, { networks, present: lists })).toEqual({ allow: lists });
});

test("a stored method that no family has may stay, and no such method may be added", () => {
  const lists = { method: ["eth_gone"] };
  expect(readAllowLists(lists, { networks: [] })).toMatchObject({ kind: "method" });
  expect(readAllowLists(lists, { networks: [], present: lists })).toEqual({ allow: lists });
});

test("a list has 100 entries at most, whatever is said twice", () => {
  const agent = Array.from({ length: 100 }, (_, n) => `app${n}`);
  const twice = { agent: [...agent, "app7"] };
  expect(readAllowLists(twice, { networks: [] })).toEqual({ allow: { agent } });
  const more = { agent: [...agent, "another"] };
  expect(readAllowLists(more, { networks: [] })).toMatchObject({ kind: "agent" });
});
