import { expect, test } from "vitest";
import { addressOwner } from "./address-owner.ts";

test.each([
  ["127.0.0.1", "127.0.0.1"],
  ["::ffff:10.0.0.7", "10.0.0.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0db8:0001:0002::9", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["", ""],
])("%j counts as %j", (address, owner) => {
  expect(addressOwner(address)).toBe(owner);
});
