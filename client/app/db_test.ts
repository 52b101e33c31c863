import assert from "node:assert/strict";
import { errorOf, standIn } from "../../test/stage/stand_in.ts";
import { createDb } from "./db.js";

interface Todo {
  title: string;
  done: boolean;
}

const APP = { id: "1", name: "Todos", db_code: "todos" };
const ID = "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55";
const RECORD = { id: ID, title: "Water", done: false, created_at: "x", updated_at: "x" };

Deno.test("db: each method sends one request and returns its answer", async () => {
  const todos = createDb(APP)<Todo>("to do/ł");
  const at = (method: string) => `/platform/db/to%20do%2F%C5%82/${method}`;
  const options = {
    page: 2,
    per_page: 10,
    sort: "-created_at",
    filter: { done: false, title: { contains: "w" } },
  } as const;
  const rows: [call: () => Promise<unknown>, answer: unknown, path: string, body: unknown][] = [
    [() => todos.list(), [RECORD], at("list"), undefined],
    [() => todos.list(options), [], at("list"), options],
    [() => todos.create({ title: "Water" }), RECORD, at("create"), { data: { title: "Water" } }],
    [() => todos.create({}), RECORD, at("create"), { data: {} }],
    [() => todos.update(ID, { done: true, title: null }), RECORD, at("update"), {
      id: ID,
      data: { done: true, title: null },
    }],
    [() => todos.delete(ID), { id: ID }, at("delete"), { id: ID }],
  ];
  await using server = standIn(...rows.map(([, json]) => ({ json })));
  for (const [index, [call, answer, path, body]] of rows.entries()) {
    assert.deepEqual(await call(), answer);
    const asked = server.asked[index];
    assert.deepEqual([asked?.method, asked?.path, asked?.body], ["POST", path, body]);
    assert.equal(asked?.headers["content-type"], body === undefined ? undefined : "application/json");
  }
});

Deno.test("db: without a code it is the app's own", async () => {
  await using server = standIn({ json: [] });
  await createDb(APP)().list();
  assert.equal(server.asked[0]?.path, "/platform/db/todos/list");
});

Deno.test("db: in an app without a database each method is refused at once", () => {
  for (const app of [null, undefined, { ...APP, db_code: null }]) {
    assert.throws(() => createDb(app)(), { name: "PlatformError", code: "no_database", message: /set its db_code/ });
  }
  for (const code of [".", "..", 7, {}]) {
    // @ts-expect-error -- JavaScript code can call it like this
    assert.throws(() => createDb(APP)(code), { name: "TypeError", message: /^A database's code must be a name/ });
  }
});

Deno.test("db: a refusal is thrown with its fields", async () => {
  await using server = standIn(
    { status: 422, json: { title: ["can't be blank"], due_on: ["is invalid"] } },
    { status: 403, json: { error: "list is not enabled", code: "forbidden" } },
    { status: 503, json: { error: "The database is away", code: "unavailable" }, headers: { "retry-after": "1" } },
  );
  const todos = createDb(APP)<Todo>();
  const { message, fields } = await errorOf(todos.create({ title: "" }));
  assert.equal(message, "Title can't be blank; Due on is invalid");
  assert.deepEqual(fields, { title: ["can't be blank"], due_on: ["is invalid"] });
  assert.equal((await errorOf(todos.list())).status, 403);
  assert.equal((await errorOf(todos.list())).retry_after, 1);
  assert.equal(server.asked.length, 3, "nothing is repeated");
});

Deno.test("db: an invalid record id or record is refused before the request", async () => {
  await using server = standIn();
  const todos = createDb(APP)<Todo>();
  const calls: [call: () => Promise<unknown>, message: RegExp][] = [
    [() => todos.delete(""), /named by its id/],
    // @ts-expect-error -- JavaScript code can call it like this
    [() => todos.delete(), /named by its id/],
    // @ts-expect-error -- JavaScript code can call it like this
    [() => todos.delete(RECORD), /named by its id/],
    // @ts-expect-error -- JavaScript code can call it like this
    [() => todos.update({ id: ID }, {}), /named by its id/],
    // @ts-expect-error -- JavaScript code can call it like this
    [() => todos.update(ID), /^A record's data must be an object/],
    // @ts-expect-error -- JavaScript code can call it like this
    [() => todos.create("Water"), /^A record's data must be an object/],
    // @ts-expect-error -- JavaScript code can call it like this
    [() => todos.create([RECORD]), /^A record's data must be an object/],
    // @ts-expect-error -- JavaScript code can call it like this
    [() => todos.list("done"), /^What list\(\) takes must be an object/],
  ];
  for (const [call, message] of calls) {
    await assert.rejects(call, { name: "TypeError", message });
  }
  assert.deepEqual(server.asked, []);
});
