import assert from "node:assert/strict";
import postgres from "postgres";
import { part } from "../part.ts";
import type { Sql } from "../sql.ts";
import type { Rows } from "./group.ts";
import { createRowReads, singleReads } from "./reads.ts";
import { createRowWrites } from "./writes.ts";

interface Query {
  text: string;
  // deno-lint-ignore no-explicit-any
  rows: any[];
  answer(result: unknown[]): void;
  fail(error: unknown): void;
}

/**
 * Collects queries, whose last parameter are the rows (of writes, as JSON), until the test answers them. Its clock stands
 * still until the test moves it: on a busy machine a turn may take as long as a slow query.
 */
function driver() {
  const clock = { ms: 0 };
  const queries: Query[] = [];
  const unsafe = (text: string, parameters: unknown[]) =>
    new Promise<unknown[]>((answer, fail) => {
      const sent = parameters.at(-1);
      queries.push({ text, rows: typeof sent === "string" ? JSON.parse(sent) : sent, answer, fail });
    });
  return { queries, clock, now: () => clock.ms, sql: { unsafe } as unknown as Sql };
}

/** As the driver reports it. */
function refusal(code: string): Error {
  const { PostgresError } = postgres as unknown as { PostgresError: new (fields: object) => Error };
  return new PostgresError({ message: "refused", code });
}

const turn = () => new Promise((resolve) => setTimeout(resolve));

const select = (account: number) => (ids: readonly number[]) =>
  part`select id, json from things where account_id = ${account} and id = any(${ids}::int[])`;
const write = (rows: Rows) => part`update things from jsonb_array_elements(${rows}::text::jsonb)`;

Deno.test("group reads: two queries are sent at once, further reads wait and share the next one", async () => {
  const { queries, now, sql } = driver();
  const { read } = createRowReads(sql, now);
  const found = [1, 2, 3, 4, 3].map((id) => read(select(7), id));
  assert.deepEqual(queries.map(({ rows }) => rows), [[1], [2]]);
  queries[0]?.answer([{ id: 1, json: "one" }]);
  assert.equal((await found[0])?.get(1), "one");
  await turn();
  assert.deepEqual(queries.map(({ rows }) => rows), [[1], [2], [3, 4]], "an id that two ask for is sent once");
  queries[2]?.answer([{ id: 3, json: "three" }]);
  assert.equal((await found[2])?.get(3), "three");
  assert.equal((await found[3])?.get(4), undefined);
  assert.equal((await found[4])?.get(3), "three");
  queries[1]?.answer([]);
  assert.equal((await found[1])?.get(2), undefined);
});

Deno.test("group reads: a second query begins when as many reads wait as the first one has", async () => {
  const { queries, now, sql } = driver();
  const { read } = createRowReads(sql, now);
  const found: Promise<unknown>[] = [];
  const ask = (...ids: number[]) => found.push(...ids.map((id) => read(select(7), id)));
  const sent = () => queries.map(({ rows }) => rows);
  const answer = async (i: number) => {
    queries[i]?.answer([]);
    await turn();
  };
  ask(1, 2, 3, 4, 5);
  await answer(0);
  await answer(1);
  assert.deepEqual(sent(), [[1], [2], [3, 4, 5]]);
  ask(6, 7);
  assert.equal(queries.length, 3, "two wait, three are in flight");
  ask(8);
  assert.deepEqual(sent().slice(3), [[6, 7, 8]]);
  ask(9);
  await answer(2);
  assert.deepEqual(sent().slice(4), [[9]], "what waits goes when a query is answered");
  await answer(3);
  await answer(4);
  ask(10);
  assert.deepEqual(sent().slice(5), [[10]], "nothing is in flight");
  await answer(5);
  await Promise.all(found);
});

Deno.test("group reads: a read never gets the answer of a query that was sent before it was asked", async () => {
  const { queries, now, sql } = driver();
  const { read } = createRowReads(sql, now);
  const [, , early] = [read(select(7), 1), read(select(7), 1), read(select(7), 1)];
  queries.splice(0).forEach(({ answer }) => answer([{ id: 1, json: "old" }]));
  await turn();
  const late = read(select(7), 1);
  queries.splice(0).forEach(({ answer, rows }, i) => answer(rows.map((id) => ({ id, json: i === 0 ? "old" : "new" }))));
  assert.equal((await early)?.get(1), "old");
  assert.equal((await late).get(1), "new");
});

Deno.test("group reads: while queries are slow, more of them are in flight, up to six", async () => {
  const { queries, clock, now, sql } = driver();
  const { read } = createRowReads(sql, now);
  const found: Promise<unknown>[] = [1, 2, 3, 4].map((id) => read(select(7), id));
  assert.equal(queries.length, 2);
  for (let id = 5; id < 12; id++) {
    clock.ms += 30;
    found.push(read(select(7), id));
  }
  assert.deepEqual(queries.map(({ rows }) => rows), [[1], [2], [3, 4, 5], [6], [7], [8]]);
  while (queries.length > 0) {
    queries.splice(0).forEach(({ answer, rows }) => answer(rows.map((id) => ({ id, json: "" }))));
    await turn();
  }
  await Promise.all(found);
});

Deno.test("group reads: statements with other parameters or another text are never mixed", async () => {
  const { queries, now, sql } = driver();
  const { read } = createRowReads(sql, now);
  const other = (ids: readonly number[]) => part`select id, json from others where id = any(${ids}::int[])`;
  const all = Promise.all([
    ...[1, 2, 3].map((id) => read(select(7), id)),
    ...[1, 2, 3].map((id) => read(select(8), id)),
    ...[1, 2, 3].map((id) => read(other, id)),
  ]);
  assert.equal(queries.length, 6);
  while (queries.length > 0) {
    queries.splice(0).forEach(({ answer, rows }) => answer(rows.map((id) => ({ id, json: "" }))));
    await turn();
  }
  assert.deepEqual((await all).map((found) => [...found.keys()]), Array(3).fill([[1], [2], [3]]).flat());
});

Deno.test("group reads: a failed query fails its reads alone, and the group goes on", async () => {
  const { queries, now, sql } = driver();
  const { read } = createRowReads(sql, now);
  const [first, second, third] = [1, 2, 3].map((id) => read(select(7), id));
  queries[0]?.fail(new Error("away"));
  await assert.rejects(first as Promise<unknown>, /away/);
  await turn();
  queries[1]?.answer([{ id: 2, json: "two" }]);
  queries[2]?.answer([{ id: 3, json: "three" }]);
  assert.equal((await second)?.get(2), "two");
  assert.equal((await third)?.get(3), "three");
});

Deno.test("group reads: a single read is a query of its own", async () => {
  const { queries, sql } = driver();
  const { read } = singleReads(sql);
  const found = [1, 2, 3].map((id) => read(select(7), id));
  assert.deepEqual(queries.map(({ rows }) => rows), [[1], [2], [3]]);
  queries.forEach(({ answer, rows }) => answer(rows.map((id) => ({ id, json: String(id) }))));
  assert.deepEqual(await Promise.all(found.map(async (rows) => [...(await rows).values()])), [["1"], ["2"], ["3"]]);
});

const list = (values: readonly string[]) => part`select id, json, rows from unnest(${values}::text[])`;
const page = (id: string | number) => ({ id, json: `[${id}]`, rows: 1 });

Deno.test("group reads: pages of a list share queries of at most eight", async () => {
  const { queries, now, sql } = driver();
  const { pages } = createRowReads(sql, now);
  const values = Array.from({ length: 12 }, (_, i) => `city ${i % 11}`);
  const found = Promise.all(values.map((value) => pages(list, value)));
  const sent: (string | number)[][] = [];
  while (queries.length > 0) {
    for (const { rows, answer } of queries.splice(0)) {
      sent.push(rows);
      answer(rows.map(page));
    }
    await turn();
  }
  assert.deepEqual(sent.map(({ length }) => length), [1, 1, 8, 2]);
  assert.deepEqual((await found).map((pages, i) => pages.get(values[i] ?? "")), values.map(page));
});

Deno.test("group reads: of a value that PostgreSQL cannot read, only its caller hears", async () => {
  const { queries, now, sql } = driver();
  const { pages } = createRowReads(sql, now);
  const found = Promise.allSettled(["1", "2", "3", "no number", "5"].map((value) => pages(list, value)));
  while (queries.length > 0) {
    for (const { rows, answer, fail } of queries.splice(0)) {
      if (rows.includes("no number")) fail(refusal("22P02"));
      else answer(rows.map(page));
    }
    await turn();
  }
  assert.deepEqual((await found).map(({ status }) => status === "fulfilled"), [true, true, true, false, true]);
});

Deno.test("group writes: of two writes of one row, the second waits for the next query", async () => {
  const { queries, now, sql } = driver();
  const writes = createRowWrites(sql, now);
  const done = [
    { id: 1, name: "a" },
    { id: 2, name: "b" },
    { id: 3, name: "c" },
    { id: 3, name: "d" },
    { id: 4, name: "e" },
  ]
    .map((row) => writes.write(write, row));
  queries[0]?.answer([{ id: 1, json: "1" }]);
  await turn();
  assert.deepEqual(queries[2]?.rows, [{ id: 3, name: "c" }, { id: 4, name: "e" }]);
  queries[1]?.answer([]);
  await turn();
  assert.deepEqual(queries[3]?.rows, [{ id: 3, name: "d" }]);
  queries[2]?.answer([{ id: 4, json: "4" }]);
  queries[3]?.answer([{ id: 3, json: "3" }]);
  assert.deepEqual(await Promise.all(done), ["1", undefined, undefined, "3", "4"]);
});

Deno.test("group writes: a query has a limit of rows and of characters, and writes of one row keep their order", async () => {
  const { queries, now, sql } = driver();
  const writes = createRowWrites(sql, now);
  const large = "x".repeat(700_000);
  const rows = [
    { id: 1 },
    { id: 2 },
    { id: 3, text: large },
    { id: 4, text: large },
    { id: 4, text: "last" },
    ...Array.from({ length: 40 }, (_, i) => ({ id: 10 + i })),
  ];
  const done = rows.map((row) => writes.write(write, row));
  const sent: number[][] = [];
  const order: unknown[] = [];
  while (queries.length > 0) {
    for (const { rows, answer } of queries.splice(0)) {
      sent.push(rows.map(({ id }) => id));
      order.push(...rows.filter(({ id }) => id === 4).map(({ text }) => text));
      answer(rows.map(({ id }) => ({ id, json: `${id}` })));
    }
    await turn();
  }
  assert.deepEqual(await Promise.all(done), rows.map(({ id }) => `${id}`));
  assert.ok(sent.every((ids) => ids.length <= 32 && !(ids.includes(3) && ids.includes(4))));
  assert.deepEqual(order, [large, "last"]);
});

Deno.test("group writes: what PostgreSQL refuses is left to the callers, another failure is theirs", async () => {
  const { queries, now, sql } = driver();
  const writes = createRowWrites(sql, now);
  const refused = writes.write(write, { id: 1 });
  const lost = writes.write(write, { id: 2 });
  queries[0]?.fail(refusal("23505"));
  queries[1]?.fail(Object.assign(new Error("write CONNECTION_CLOSED"), { code: "CONNECTION_CLOSED" }));
  assert.equal(await refused, undefined);
  await assert.rejects(lost, /CONNECTION_CLOSED/);
});
