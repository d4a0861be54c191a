import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { openMemory } from "../../storage/memory.ts";
import type { AllowLists } from "../../storage/store.ts";
import { CommandError, type Output } from "../output.ts";
import { createAccount } from "./accounts.ts";
import { type AllowParts, allowKey } from "./key-allow.ts";
import { createKey } from "./keys.ts";

let parts: AllowParts;
let id = "";
beforeEach(async () => {
  const storage = openMemory();
  const clock = { now: () => 0, monotonic: () => 0 };
  const all = { storage, plans: { free: {} }, clock, random: randomBytes };
  await createAccount(all, { email: "ada@example.com", plan: "free", operator: false });
  const { json } = await createKey(all, { account: "ada@example.com", name: "web" });
  id = (json as { id: string }).id;
  parts = { storage, clock, random: randomBytes, networks: ["mainnet", "sepolia"] };
});

const allow = (...entries: string[]): Promise<Output> =>
  allowKey(parts, { id, entries, remove: false });
const remove = (...entries: string[]): Promise<Output> =>
  allowKey(parts, { id, entries, remove: true });
const stored = async (): Promise<AllowLists | undefined> =>
  (await parts.storage.keys.findById(id))?.key.allow;

describe("keys allow", () => {
  test("adds entries of any kind, in canonical form, each once", async () => {
    const contract = `0x${"aB".repeat(20)}`;
    await allow("network=Mainnet", "method=eth_*", `contract=${contract}`);
    await allow("origin=https://*.example.com/", "ip=10.1.2.3/8", "ip=::FFFF:10.0.0.0/104");
    const { json, text } = await allow("agent=app=2", "network=mainnet");
    const expected = {
      network: ["mainnet"],
      method: ["eth_*"],
      contract: [contract.toLowerCase()],
      origin: ["https://*.example.com"],
      ip: ["10.0.0.0/8"],
      agent: ["app=2"],
    };
    expect(json).toEqual({ id, allow: expected });
    expect(await stored()).toEqual(expected);
    expect(text).toMatch(/^key key_\w+ \(web\) is good for\nKIND +VALUE\nnetwork +mainnet\n/);
    expect(text).toContain("every running process follows within a second");
  });

  test("without an entry shows the lists and changes nothing", async () => {
    expect((await allow()).text).toBe(
      `key ${id} (web) has no allow-lists: it may do all that its account may`,
    );
    await allow("ip=10.0.0.1");
    const { json, text } = await allow();
    expect(json).toEqual({ id, allow: { ip: ["10.0.0.1"] } });
    expect(text).not.toContain("within a second");
  });

  test("adds all entries of a command or, where one is wrong, none", async () => {
    await expect(allow("ip=10.0.0.1", "ip=10.0.0.0/33")).rejects.toThrow(
      '"10.0.0.0/33" cannot stand in a list of kind ip; give an IP address or a range',
    );
    expect(await stored()).toEqual({});
  });

  test("refuses a network that the configuration does not have", async () => {
    await expect(allow("network=mainet")).rejects.toThrow(
      'there is no network "mainet"; the networks are mainnet, sepolia',
    );
  });

  test.each([
    ["eth_cal", 'there is no method "eth_cal"; did you mean eth_call?'],
    ["eth_getbalance", 'there is no method "eth_getbalance"; did you mean eth_getBalance?'],
    ["getBlok", 'there is no method "getBlok"; did you mean getBlock?'],
    ["foo", 'there is no method "foo"; give a method\'s name, such as eth_call, or a pattern'],
    ["eth_gte*", 'no method fits the pattern "eth_gte*"; give one such as eth_get*'],
  ])("refuses the method %s, which no family has", async (method, fault) => {
    await expect(allow(`method=${method}`)).rejects.toThrow(fault);
    expect(await stored()).toEqual({});
  });

  test.each(["tollgate_usage", "eth_sendRawTransaction", "sendTransaction", "*", "eth_send*"])(
    "takes the method %s: served, or known as writing",
    async (method) => {
      await allow(`method=${method}`);
      expect(await stored()).toEqual({ method: [method] });
    },
  );

  test("keeps and removes a stored method that no family has", async () => {
    await parts.storage.keys.update(id, { allow: { method: ["eth_gone", "eth_cal"] } }, {});
    await allow("method=eth_call");
    expect(await stored()).toEqual({ method: ["eth_gone", "eth_cal", "eth_call"] });
    await remove("method=eth_gone", "method=eth_call");
    expect(await stored()).toEqual({ method: ["eth_cal"] });
  });

  test.each(["", "ip", "=10.0.0.1", "IP=10.0.0.1", "country=de", "constructor=x"])(
    "refuses %j and names the kinds",
    async (entry) => {
      const failure = allow(entry);
      await expect(failure).rejects.toThrow(CommandError);
      await expect(failure).rejects.toThrow(
        "written KIND=VALUE, such as ip=10.0.0.0/8; the kinds are network, method, contract, origin, ip, agent",
      );
    },
  );

  test("takes 100 entries of a kind, and no more", async () => {
    await allow(...Array.from({ length: 100 }, (_, n) => `ip=10.0.0.${n}`));
    await expect(allow("ip=10.0.1.0")).rejects.toThrow("at most 100 entries of a kind");
    await allow("ip=10.0.0.7", "agent=curl");
    expect((await stored())?.ip).toHaveLength(100);
  });

  test("commands at the same time on one key lose nothing of each other", async () => {
    await allow("agent=curl", "agent=wget");
    const added = Array.from({ length: 8 }, (_, n) => `10.0.0.${n}`);
    await Promise.all([...added.map((ip) => allow(`ip=${ip}`)), remove("agent=curl")]);
    const lists = await stored();
    expect([...(lists?.ip ?? [])].sort()).toEqual(added);
    expect(lists?.agent).toEqual(["wget"]);
  });

  test("refuses an unknown key", async () => {
    await expect(allowKey(parts, { id: "key_x", entries: [], remove: false })).rejects.toThrow(
      'there is no key "key_x"; see: tollgate keys list',
    );
  });
});

describe("keys allow --remove", () => {
  test("takes out an entry however it is written", async () => {
    await allow("ip=10.0.0.0/8", "ip=fd00::/8", "agent=curl");
    const { json } = await remove("ip=FD00:0::/8");
    expect(json).toEqual({ id, allow: { ip: ["10.0.0.0/8"], agent: ["curl"] } });
    expect(await stored()).toEqual({ ip: ["10.0.0.0/8"], agent: ["curl"] });
  });

  test("says that a kind without entries restricts nothing any more", async () => {
    await allow("ip=10.0.0.0/8", "agent=curl");
    const { json, text } = await remove("ip=10.0.0.0/8");
    expect(json).toEqual({ id, allow: { agent: ["curl"] } });
    expect(text).toContain("no ip is listed any more: the key is good for any ip");
  });

  test("takes out what would no longer be let in", async () => {
    await parts.storage.keys.update(id, { allow: { network: ["gone"], ip: ["anywhere"] } });
    await remove("network=gone", "ip=anywhere");
    expect(await stored()).toEqual({});
  });

  test("refuses an entry that is not there, and says which are", async () => {
    await expect(remove("ip=10.0.0.1")).rejects.toThrow(
      `the key's list of kind ip has no "10.0.0.1"; it has none`,
    );
    await allow("ip=10.0.0.2", "ip=10.0.0.3");
    await expect(remove("ip=10.0.0.2", "ip=10.0.0.1")).rejects.toThrow("it has 10.0.0.3");
    expect(await stored()).toEqual({ ip: ["10.0.0.2", "10.0.0.3"] });
  });
});
