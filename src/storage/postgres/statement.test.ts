import { expect, test } from "vitest";
import { quoted, Statements } from "./statement.ts";

const statements = new Statements("gate");

test("values are numbered by their names, tables are of the schema, and casts stay", () => {
  const sql = "SELECT :b::bigint, @take(:a) FROM @accounts WHERE id = :b";
  expect(statements.of(sql, { a: "x", b: 2 })).toEqual({
    text: 'SELECT $1::bigint, "gate".take($2) FROM "gate".accounts WHERE id = $1',
    values: [2, "x"],
  });
});

test("a name without a value is a fault of the program", () => {
  expect(() => statements.of("SELECT :a", {})).toThrow("no value for a");
});

test("a zero byte, which PostgreSQL has not, is sent as a mark", () => {
  const { values } = statements.of("SELECT :a, :b", { a: "x\0y", b: ["\0", null, 1] });
  expect(values).toEqual(["x\uFFFDy", ["\uFFFD", null, 1]]);
});

test("an assignment of PL/pgSQL is no value", () => {
  expect(statements.script("a := @lock('b')")).toBe("a := \"gate\".lock('b')");
});

test("any name can be an identifier", () => {
  expect(quoted('a"; DROP')).toBe('"a""; DROP"');
});
