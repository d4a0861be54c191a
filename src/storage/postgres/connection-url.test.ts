import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/written.ts";
import { postgresAddress } from "./connection-url.ts";

const certificate = join(temporaryFolder("postgres-url"), "ca.pem");
writeFileSync(certificate, "a certificate");

describe("an address of PostgreSQL", () => {
  test("is taken apart, and its parts are decoded", () => {
    expect(postgresAddress("postgres://ada%40x:p%2Fw%25@db.example:6543/my%20gate")).toMatchObject({
      host: "db.example",
      port: 6543,
      user: "ada@x",
      password: "p/w%",
      database: "my gate",
      connectTimeoutMs: 2000,
    });
  });

  test("has the usual port, and names neither user nor password", () => {
    const { name, port } = postgresAddress("postgresql://ada:hunter2@db.example/gate");
    expect(port).toBe(5432);
    expect(name).toBe("postgres://db.example:5432/gate");
    expect(postgresAddress("postgres://a@[::1]/g").host).toBe("::1");
    expect(postgresAddress("postgres://a@[::1]/g").name).toBe("postgres://[::1]:5432/g");
  });

  test("may name the folder of a Unix socket, and a time to connect", () => {
    const url = "postgres://ada@localhost/gate?host=/var/run/postgresql&connect_timeout=7";
    expect(postgresAddress(url)).toMatchObject({
      host: "/var/run/postgresql",
      connectTimeoutMs: 7000,
      ssl: false,
    });
  });

  test.each([
    ["localhost", "", false],
    ["127.0.0.1", "", false],
    ["db.example", "", { servername: "db.example", rejectUnauthorized: true }],
    ["db.example", "?sslmode=disable", false],
    ["db.example", "?sslmode=require", { rejectUnauthorized: false }],
    ["db.example", "?sslmode=verify-full", { rejectUnauthorized: true }],
    ["10.0.0.7", "?sslmode=verify-full", { rejectUnauthorized: true }],
  ])("%s%s decides about TLS", (host, query, ssl) => {
    const found = postgresAddress(`postgres://a:b@${host}/g${query}`).ssl;
    if (typeof ssl === "boolean") expect(found).toBe(ssl);
    else expect(found).toMatchObject(ssl);
  });

  test("a CA is read, and `require` with one checks the certificate though not its name", () => {
    const url = (mode: string) =>
      `postgres://a:b@db.example/g?sslmode=${mode}&sslrootcert=${certificate}`;
    for (const mode of ["require", "verify-ca"]) {
      const { ssl } = postgresAddress(url(mode));
      expect(ssl).toMatchObject({ ca: "a certificate", rejectUnauthorized: true });
      expect(ssl).toHaveProperty("checkServerIdentity");
    }
    expect(postgresAddress(url("verify-full")).ssl).not.toHaveProperty("checkServerIdentity");
  });

  test.each([
    ["postgres://u:hunter2@", "can't be read as a URL"],
    ["postgres:///gate", "names no host"],
    ["postgres://db.example/gate", "names no user"],
    ["postgres://u:hunter2@db.example", "names no database"],
    ["postgres://u:hunter2@h/d?pool=3", 'has the unknown parameter "pool"'],
    ["postgres://u:hunter2@h/d?sslmode=prefer", 'sslmode "prefer" is not known; it is one of'],
    ["postgres://u:hunter2@h/d?sslmode=verify-ca", "sslmode=verify-ca needs sslrootcert"],
    ["postgres://u:hunter2@h/d?sslrootcert=/none.pem", "the file of sslrootcert can't be read"],
    ["postgres://u:hunter2@h/d?connect_timeout=soon", "connect_timeout is no number of seconds"],
    ["postgres://u:hunter2%zz@h/d", "has a % that encodes nothing"],
  ])("%s is refused with what would be right, without the password", (url, reason) => {
    expect(() => postgresAddress(url)).toThrow(reason);
    expect(() => postgresAddress(url)).not.toThrow("hunter2");
  });
});
