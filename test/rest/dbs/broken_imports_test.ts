/** Imports of files that cannot be read to their end. */
import assert from "node:assert/strict";
import { made } from "../../stage/people.ts";
import { inTurn, onSharedServer } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";
import { addDb } from "../../stage/visitors.ts";
import { dataOf, type Format, rows, SCHEMA, send } from "./file_stage.ts";

const test = onSharedServer();

test("import: the rows before the place where a file cannot be read are stored, and counted", async ({ ask }) => {
  const good = (count: number) => Array.from({ length: count }, (_, i) => `row ${i},${i}\n`).join("");
  const line = (title: string) => `{"data":{"title":"${title}"}}\n`;
  const bytes = (...parts: (string | number)[]) =>
    new Blob(parts.map((part) => typeof part === "string" ? part : new Uint8Array([part])));
  const chunked = async function* (body: Blob, size: number) {
    for (let at = 0; at < body.size; at += size) yield await body.slice(at, at + size).bytes();
  };
  type Row = [name: string, format: Format, body: Blob, stored: number, says: RegExp];
  const cases: Row[] = [
    ["a row with more cells", "csv", bytes("title,n\na,1\nb,2\nc,3\nd,4,5\ne,6\n"), 3, /CSV.*line 5/],
    ["a last row with more cells", "csv", bytes("title,n\na,1\nb,2\nc,3,4"), 2, /CSV/],
    ["a quote that never ends", "csv", bytes('title,n\na,1\n"b,2\n'), 1, /CSV.*Quote/],
    ["more than one statement", "csv", bytes(`title,n\n${good(1_200)}d,4,5\n`), 1_200, /CSV/],
    ["bytes that are no text, in CSV", "csv", bytes("title,n\nż,1\nb,2\nc", 0xff, "\nd,4\n"), 2, /UTF-8/],
    ["bytes that are no text, after a quote", "csv", bytes('title\r\n"a"\r\n"b"\r\n"c', 0xff), 2, /UTF-8/],
    ["bytes that are no text, after a quote", "csv", bytes('title\n"a"\n"b"', 0xff), 1, /UTF-8/],
    ["bytes that are no text, in NDJSON", "ndjson", bytes(line("ż"), line("b"), 0xff), 2, /UTF-8/],
    ["a character that is cut off", "ndjson", bytes(line("a"), line("b"), 0xc5), 2, /UTF-8/],
    ["a line too long", "ndjson", bytes(line("a"), line("b"), "x".repeat(2_200_000)), 2, /longer/],
    ["rows that do not fit", "csv", bytes("title,n\na,x\nb,2\n,3\nd,4\ne,5,6\n"), 2, /CSV/],
    ["no row that fits", "csv", bytes("title,n\na,x\ne,5,6\n"), 0, /CSV/],
  ];
  await inTurn(cases, async ([name, format, file, stored, says]) => {
    const size = file.size < 1_000 ? 1 : 10_000;
    await inTurn([file, ReadableStream.from(chunked(file, size))], async (body) => {
      const code = await addDb(ask, { schema: SCHEMA });
      const answer = await send(ask, code, format, body);
      assert.equal(answer.status, 400, name);
      assert.match(answer.body.error, says, name);
      const told = /\((\d+) records have been created before\)$/.exec(answer.body.error)?.[1];
      assert.equal(Number(told ?? 0), stored, `${name}: ${answer.body.error}`);
      const { headers } = await ask("GET", `/platform/dbs/${code}/records.json?per_page=1&count=true`);
      assert.equal(Number(headers.get("x-total-count")), stored, name);
    });
    const code = await addDb(ask, { schema: SCHEMA });
    const trial = await send(ask, code, format, file, "?dry_run=true");
    assert.deepEqual([trial.status, /created/.test(trial.body.error)], [400, false], name);
    assert.deepEqual(await dataOf(ask, code), [], "a dry run creates nothing");
  });
});

test("import: the rows before the place where the database refuses one are counted, too", async ({ ask }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  const { id } = made(await ask("POST", "/account/departments.json", { json: { department: { name: "Short" } } }));
  const stored = async () =>
    Number((await ask("GET", `/platform/dbs/${code}/records.json?count=true`)).headers.get("x-total-count"));
  const file = async function* () {
    const rows = new TextEncoder().encode("a\n".repeat(600));
    yield new TextEncoder().encode("title\n");
    yield rows;
    await until(async () => await stored() > 0, "a part is stored");
    await ask("DELETE", `/account/departments/${id}.json`);
    yield rows;
  };
  const { status, body } = await send(ask, code, "csv", ReadableStream.from(file()), `?department_id=${id}`);
  assert.deepEqual([status, body], [422, {
    department_id: ["must exist"],
    base: [`${await stored()} records have been created before`],
  }]);
});

test("import: a body that breaks off leaves what came before, and the server", async ({ ask }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  const { status, body } = await send(
    ask,
    code,
    "csv",
    rows(100_000, (row) => {
      if (row > 15_000) throw new TypeError("the connection was reset");
    }),
  );
  assert.equal(status, 400, JSON.stringify(body));
  assert.match(body.error, /broke off \(\d+ records have been created before\)/);
  const created = Number(/\d+/.exec(body.error)?.[0]);
  const { headers } = await ask("GET", `/platform/dbs/${code}/records.json?per_page=1&count=true`);
  assert.equal(Number(headers.get("x-total-count")), created);
});
