import assert from "node:assert/strict";
import { Part } from "./part.ts";
import type { Sql } from "./sql.ts";
import { withParts } from "./tagged.ts";

class Identifier {
  constructor(readonly name: string) {}
}
class Columns {}
class Unsafe extends Identifier {}

/** A driver that notes what it is asked to send. */
function noting() {
  const sent: unknown[] = [];
  const driver = (first: unknown, ...values: unknown[]) => {
    if (typeof first === "string") return new Identifier(first);
    if (!Array.isArray(first)) return new Columns();
    sent.push({ template: [...first], values: values.map((value) => value instanceof Promise ? "fragment" : value) });
    return Promise.resolve("natively");
  };
  const unsafe = (text: string, parameters?: unknown[]) => {
    if (!parameters) return new Unsafe(text);
    sent.push({ text, parameters });
    return Promise.resolve("as parts");
  };
  return { sent, sql: withParts(Object.assign(driver, { unsafe }) as unknown as Sql) };
}

Deno.test("sql: fragments become one text, sent once and only when it is awaited", async () => {
  const { sent, sql } = noting();
  const unused = sql`never sent`;
  const statement = sql`select ${1} where ${sql`a = ${"x"} ${sql``}`}`;
  assert.ok(unused instanceof Part);
  assert.deepEqual(sent, []);
  assert.equal(await statement, "as parts");
  assert.equal(await statement, "as parts");
  assert.deepEqual(sent, [{ text: "select $1 where a = $2 ", parameters: [1, "x"] }]);
});

Deno.test("sql: a statement with an identifier or unsafe text at any depth is left to the driver", async () => {
  const { sent, sql } = noting();
  assert.equal(await sql`select from ${sql("users")} where ${sql`id = ${3}`}`, "natively");
  assert.deepEqual(sent, [
    { template: ["id = ", ""], values: [3] },
    { template: ["select from ", " where ", ""], values: [new Identifier("users"), "fragment"] },
  ]);
  await sql`select ${sql`from ${sql("users")}`}`;
  assert.equal(await sql`${sql.unsafe("vacuum")}`, "natively");
  assert.equal(sent.length, 5);
});

Deno.test("sql: it fails as a promise does", async () => {
  const sql = withParts(
    Object.assign(() => new Columns(), {
      unsafe: (_: string, parameters?: unknown[]) => parameters ? Promise.reject(new Error("refused")) : new Columns(),
    }) as unknown as Sql,
  );
  await assert.rejects(async () => await sql`select`, /refused/);
  assert.equal(await sql`select`.catch(() => "caught"), "caught");
  let settled = 0;
  await assert.rejects(sql`select`.finally(() => settled++), /refused/);
  assert.equal(settled, 1);
});
