import { describe, expect, test } from "vitest";
import { AdminAccess } from "./admin-access.ts";

const TOKEN = "0123456789abcdef0123456789abcdef";
const refused = { refused: expect.stringMatching(/Host|browser/) };

describe("without a token", () => {
  const access = new AdminAccess({ host: "Gateway.internal" });
  test.each([
    ...["127.0.0.1:9545", "10.0.0.7", "[::1]:9545", "[fd00::1]", "localhost:9545", "LOCALHOST."],
    ...["a.localhost", "gateway.internal:9545", undefined],
  ])("all is shown to who asks for the host %s", (host) => {
    expect(access.rightsOf({ host })).toBe("all");
  });
  test.each([
    ...["evil.example", "evil.example:9545", "127.0.0.1.evil.example", "localhost.evil.example"],
    ...["", "[evil.example]", "127.0.0.1@evil.example", "127.0.0.1:80:80", "2130706433"],
  ])("the host %j is refused", (host) => {
    expect(access.rightsOf({ host })).toEqual(refused);
  });
  test("a request with an Origin is refused", () => {
    expect(access.rightsOf({ host: "127.0.0.1", origin: "null" })).toEqual(refused);
  });
});

describe("with a token", () => {
  const access = new AdminAccess({ host: "0.0.0.0", token: TOKEN });
  test.each(["127.0.0.1", "tollgate:9545", undefined])("it shows all, at the host %s", (host) => {
    expect(access.rightsOf({ host, authorization: `Bearer ${TOKEN}` })).toBe("all");
  });
  test.each([undefined, "", "Bearer", TOKEN, `Bearer ${TOKEN}0`, `Basic ${TOKEN}`, "Bearer a b"])(
    "%s shows probes alone, and nothing at a foreign host",
    (authorization) => {
      expect(access.rightsOf({ host: "127.0.0.1", authorization })).toBe("probes");
      expect(access.rightsOf({ host: "evil.example", authorization })).toEqual(refused);
    },
  );
  test("it does not let pages in", () => {
    const authorization = `Bearer ${TOKEN}`;
    expect(access.rightsOf({ host: "127.0.0.1", authorization, origin: "a" })).toEqual(refused);
  });
});
