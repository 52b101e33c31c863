/** Databases as files: CSV and NDJSON in and out, TypeScript types. */
import assert from "node:assert/strict";
import { parse } from "csv-parse/sync";
import type { Answer } from "../../stage/harness.ts";
import { addAccount, addPerson, addToken, as, made } from "../../stage/people.ts";
import { type Ask, inTurn, onSharedServer, prove } from "../../stage/scenario.ts";
import { addDb } from "../../stage/visitors.ts";
import { dataOf, type Format, get, rows, SCHEMA, send } from "./file_stage.ts";

const test = onSharedServer();

const readCsv = (text: string) => parse<Record<string, string>>(text, { columns: true });

const HARD = {
  title: `Ada, "the" first; 'x'\ttab`,
  note: "two\nlines\r\nand\rothers, żółw 🐢 \u2028 =SUM(A1)",
  n: -9007199254740991,
  x: 1.5e-7,
  ok: false,
  at: "2026-11-21T08:30:00.123Z",
  day: "2026-02-28",
  hour: "23:59",
};
const BLANK = { title: "0", note: null, n: null, x: null, ok: null, at: null, day: null, hour: null };

test("files: what is exported can be imported, and is the same", async ({ ask }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  await inTurn(
    [HARD, BLANK],
    async (data) => void made(await ask("POST", `/platform/dbs/${code}/records.json`, { json: { record: { data } } })),
  );
  const first = await dataOf(ask, code);
  await inTurn(["csv", "ndjson"] as const, async (format) => {
    const text = await get(ask, code, format);
    const copy = await addDb(ask, { schema: SCHEMA });
    const { status, body } = await send(ask, copy, format, text);
    assert.deepEqual([status, body], [200, { created: 2, failed: 0, errors: [] }], format);
    assert.deepEqual(await dataOf(ask, copy), first, format);
  });
});

const FORMULAS = ["=1+1", "+1", "-1", "@A1", "\t=1", "\r=1", "'=1", "a=1", "'a"];

test("files: texts that a spreadsheet runs as formulas are escaped unless raw=true, and imported as they were", async ({ ask }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  for (const title of FORMULAS) {
    await ask("POST", `/platform/dbs/${code}/records.json`, { json: { record: { data: { title, n: -1 } } } });
  }
  const escaped = await get(ask, code, "csv");
  assert.deepEqual(readCsv(escaped).map(({ title }) => title), [
    ...FORMULAS.slice(0, 7).map((title) => `'${title}`),
    "a=1",
    "'a",
  ]);
  assert.deepEqual(readCsv(escaped).map(({ n }) => n), FORMULAS.map(() => "-1"), "a number is no formula");
  const raw = await get(ask, code, "csv", "?raw=true");
  assert.deepEqual(readCsv(raw).map(({ title }) => title), FORMULAS);
  const titlesOf = async (text: string, query = "") => {
    const copy = await addDb(ask, { schema: SCHEMA });
    assert.equal((await send(ask, copy, "csv", text, query)).body.created, FORMULAS.length);
    return (await dataOf(ask, copy)).map(({ title }) => title);
  };
  assert.deepEqual(await titlesOf(escaped), FORMULAS);
  assert.deepEqual(await titlesOf(raw, "?raw=true"), FORMULAS);
  assert.deepEqual(await titlesOf(raw), FORMULAS.map((title) => title === "'=1" ? "=1" : title), "without raw=true");
  const refused = await ask("GET", `/platform/dbs/${code}/export.csv?raw=1`);
  assert.deepEqual([refused.status, refused.body.error], [400, "raw is not included in the list"]);
});

test("export: a filter and a search choose the records", async ({ ask }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  await send(ask, code, "csv", "title,n\nAda,1\nGrace,2\nAdam,3\n");
  const titles = async (query: string) => readCsv(await get(ask, code, "csv", query)).map(({ title }) => title);
  assert.deepEqual(await titles("?filter[n][gte]=2"), ["Grace", "Adam"]);
  assert.deepEqual(await titles("?q=ADA&filter[n][ne]=3"), ["Ada"]);
  assert.equal((await get(ask, code, "ndjson", "?filter[title]=Ada")).trimEnd().split("\n").length, 1);
  const refused = await ask("GET", `/platform/dbs/${code}/export.csv?filter[nope]=1`);
  assert.deepEqual([refused.status, refused.body.error], [400, "filter[nope] names no field of this table"]);
});

test("files: a parameter that does not exist is refused, and nothing is written", async ({ ask }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  const said = ({ status, body }: Answer) => [status, body.error];
  for (const format of ["csv", "ndjson"]) {
    const path = `/platform/dbs/${code}/export.${format}?filtr[n][gte]=2`;
    assert.deepEqual(said(await ask("GET", path)), [400, "There is no parameter filtr[n][gte]"]);
  }
  const sent = await send(ask, code, "csv", "title\nAda\n", "?dryrun=true");
  assert.deepEqual(said(sent), [400, "There is no parameter dryrun"]);
  assert.deepEqual(await dataOf(ask, code), []);
});

test("files: a parameter that is given twice is refused as in lists, and nothing is written", async ({ ask }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  const said = ({ status, body }: Answer) => [status, body.error];
  const filters = `/platform/dbs/${code}/export.csv?filter[title]=Ada&filter[title]=Grace`;
  assert.deepEqual(said(await ask("GET", filters)), [400, "filter[title] is given twice"]);
  const sent = await send(ask, code, "csv", "title\nAda\n", "?dry_run=false&dry_run=true");
  assert.deepEqual(said(sent), [400, "dry_run is given twice"]);
  assert.deepEqual(await dataOf(ask, code), []);
  await send(ask, code, "csv", "title\nAda\nGrace\nAdam\n");
  const listed = readCsv(await get(ask, code, "csv", "?filter[title][in][]=Ada&filter[title][in][]=Adam"));
  assert.deepEqual(listed.map(({ title }) => title), ["Ada", "Adam"]);
});

test("export: its columns, lines and headers", async ({ ask }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  assert.equal(await get(ask, code, "csv"), "id,title,note,n,x,ok,at,day,hour,created_at,updated_at\n", "no records");
  assert.equal(await get(ask, code, "ndjson"), "");
  const record = made(await ask("POST", `/platform/dbs/${code}/records.json`, { json: { record: { data: HARD } } }));
  const [row = {}] = readCsv(await get(ask, code, "csv"));
  assert.deepEqual([row.id, row.title, row.note, row.ok], [record.id, HARD.title, HARD.note, "false"]);
  const lines = (await get(ask, code, "ndjson")).trimEnd().split("\n");
  assert.deepEqual(lines.map((line) => JSON.parse(line)), [record]);
  const { headers } = await ask("GET", `/platform/dbs/${code}/export.csv`);
  assert.equal(headers.get("content-type"), "text/csv; charset=utf-8");
  assert.equal(headers.get("content-disposition"), `attachment; filename="${code}.csv"`);
  assert.equal(headers.get("cache-control"), "no-store");
});

test("import: a file may have a BOM, CRLF, other columns in another order, and no last line end", async ({ ask }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  const csv = '\uFEFFok, title ,id,updated_at\r\ntrue,a,x,y\r\n\r\n1,"b ""q""",,\r\nfalse,c,,';
  assert.deepEqual((await send(ask, code, "csv", csv)).body, { created: 3, failed: 0, errors: [] });
  assert.deepEqual((await dataOf(ask, code)).map(({ title, ok }) => [title, ok]), [["a", true], [`b "q"`, true], [
    "c",
    false,
  ]]);
  assert.deepEqual((await send(ask, code, "csv", "title,ok\nspread,TRUE\nsheet,FALSE\n")).body.created, 2);
  assert.deepEqual((await dataOf(ask, code)).slice(3).map(({ ok }) => ok), [true, false], "as spreadsheets write them");
  const lines = `{"data":{"title":"d"},"more":1}\r\n\r\n{"data":{"title":"e"}}`;
  assert.deepEqual((await send(ask, code, "ndjson", lines)).body, { created: 2, failed: 0, errors: [] });
});

test("import: rows that do not fit are told by their numbers, the others are created", async ({ ask }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  const csv = "title,n,ok,day\na,1,true,2026-01-01\n,2,,\nb,x,maybe,2026-02-30\nc,1.5,,\nd,,,\n";
  const errors = [
    { row: 2, fields: { title: ["can't be blank"] } },
    {
      row: 3,
      fields: { n: ["must be an integer"], ok: ["must be true or false"], day: ["must be a date, YYYY-MM-DD"] },
    },
    { row: 4, fields: { n: ["must be an integer"] } },
  ];
  assert.deepEqual((await send(ask, code, "csv", csv, "?dry_run=true")).body, { created: 2, failed: 3, errors });
  assert.deepEqual(await dataOf(ask, code), [], "a dry run creates nothing");
  assert.deepEqual((await send(ask, code, "csv", csv)).body, { created: 2, failed: 3, errors });
  assert.deepEqual((await dataOf(ask, code)).map(({ title }) => title), ["a", "d"]);

  const deep = `${"[".repeat(100)}${"]".repeat(100)}`;
  const lines = [
    `{"data":{"title":"e"}}`,
    "nope",
    `{"title":"f"}`,
    `[]`,
    `{"data":{"title":1,"zz":2,"__proto__":3}}`,
    `{"data":${deep}}`,
  ];
  const { body } = await send(ask, code, "ndjson", lines.join("\n"));
  assert.deepEqual([body.created, body.failed], [1, 5]);
  assert.deepEqual(
    body.errors.map(({ row, fields }: { row: number; fields: object }) => [row, ...Object.keys(fields)]),
    [
      [2, "base"],
      [3, "base"],
      [4, "base"],
      [5, "title", "zz", "__proto__"],
      [6, "base"],
    ],
  );
});

test("import: what cannot be read is refused", async ({ ask }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  const several = await addDb(ask, { schema: { tables: { people: { fields: { title: "string" } } } } });
  type Row = [name: string, format: Format, body: BodyInit, query: string, status: number, says: RegExp];
  const rows: Row[] = [
    ["a header that names no field", "csv", "title,zz,constructor\na,b,c\n", "", 400, /zz, constructor/],
    ["a column twice", "csv", "title,title\na,b\n", "", 400, /twice: title/],
    ["a header alone that names no field", "csv", "zz\n", "", 400, /zz/],
    ["a row with more cells", "csv", "title,n\na,1,2\n", "", 400, /CSV/],
    ["a quote inside a cell", "csv", 'title,n\na"b,1\n', "", 400, /CSV.*Quote/],
    ["a quote that never ends", "csv", 'title,n\n"a,1\n', "", 400, /CSV/],
    ["bytes that are no text", "csv", new Uint8Array([116, 0xff]), "", 400, /UTF-8/],
    ["bytes that are no text", "ndjson", new Uint8Array([0xff, 10]), "", 400, /UTF-8/],
    ["a line too long", "ndjson", `"${"x".repeat(2_200_000)}"`, "", 400, /longer/],
    ["a strange dry_run", "csv", "title\na\n", "?dry_run=1", 400, /dry_run/],
    ["no such department", "csv", "title\na\n", "?department_id=999999", 422, /department_id/],
    ["no such table", "csv", "title\na\n", "?table_name=dogs", 404, /dogs/],
  ];
  await inTurn(rows, async ([name, format, body, query, status, says]) => {
    const answer = await send(ask, code, format, body, query);
    assert.equal(answer.status, status, `${name}: ${JSON.stringify(answer.body)}`);
    assert.match(JSON.stringify(answer.body), says, name);
  });
  assert.deepEqual(await dataOf(ask, code), []);
  assert.equal((await send(ask, several, "csv", "title\na\n")).body.code, "table_name_required");
  assert.equal((await send(ask, several, "csv", "title\na\n", "?table_name=people")).body.created, 1);
  const path = `/platform/dbs/${code}/import.csv`;
  assert.equal((await ask("POST", path, { raw: "title\na\n", headers: { "content-type": "text/plain" } })).status, 415);
  const compressed = { "content-type": "text/csv", "content-encoding": "gzip" };
  assert.equal((await ask("POST", path, { raw: "title\na\n", headers: compressed })).status, 415);
  assert.equal((await ask("POST", path, { headers: { "content-type": "text/csv" } })).status, 400);
  assert.equal((await ask("GET", path)).status, 405);
  assert.equal((await ask("POST", `/platform/dbs/${code}/export.csv`)).status, 405);
});

const COUNT = 100_000;

test("files: a hundred thousand rows go in as they come, are edited and filtered, and go out unchanged, never all at once", async ({ ask, admin, server }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  const path = `/platform/dbs/${code}/records.json?per_page=1&count=true`;
  const total = async () => Number((await ask("GET", path)).headers.get("x-total-count"));
  let stored_before_the_end = 0;
  const { body } = await send(
    ask,
    code,
    "csv",
    rows(COUNT, async (row) => {
      if (row === COUNT && stored_before_the_end === 0) stored_before_the_end = await total();
    }),
  );
  assert.deepEqual(body, { created: COUNT, failed: 0, errors: [] });
  assert.ok(stored_before_the_end > 0, "the first rows were stored before the last one was made");
  assert.equal(await total(), COUNT);

  const at = `/platform/dbs/${code}/records`;
  const [found] = (await ask("GET", `${at}.json?filter[n]=70000`)).body;
  await ask("PATCH", `${at}/${found.id}.json`, { json: { record: { data: { title: "edited" } } } });
  const chosen = readCsv(await get(ask, code, "csv", "?filter[n][gt]=69998&filter[n][lt]=70002"));
  assert.deepEqual(chosen.map(({ title, n }) => [title, n]), [["row 69999", "69999"], ["edited", "70000"], [
    "row 70001",
    "70001",
  ]]);
  // Pages far behind the first one are found in another way.
  await inTurn<[query: string, first: number, step: number]>([
    ["sort=id", 80_001, 1],
    ["sort=-created_at", 20_000, -1],
    ["sort=n", 80_001, 1],
    ["sort=-n", 20_000, -1],
    ["sort=-n&filter[n][lte]=90000", 10_000, -1],
    ["sort=-created_at&q=row", 19_999, -1],
    ["sort=n&q=row", 80_002, 1],
  ], async ([query, first, step]) => {
    const { body, headers } = await ask("GET", `${at}.json?${query}&per_page=20&page=4001`);
    assert.ok(Array.isArray(body), `${query}: ${JSON.stringify(body)}`);
    const numbers = body.map(({ data }: { data: { n: number } }) => data.n);
    assert.deepEqual(numbers, Array.from({ length: 20 }, (_, i) => first + i * step), query);
    assert.match(headers.get("link") ?? "", /rel="next"/, query);
  });
  // Or behind a mark.
  await inTurn<[sort: string, first: number, step: number]>([["id", 3_001, 1], ["-n", 97_000, -1]], async (
    [sort, first, step],
  ) => {
    const read = async (query: string) =>
      (await ask("GET", `/platform/dbs/${code}/record_marks.json?sort=${sort}&every=1000${query}`)).body;
    const marks = await read("");
    assert.equal(marks.length, 20, sort);
    assert.equal((await read(`&after=${marks.at(-1)}`)).length, 20, sort);
    const { body } = await ask("GET", `${at}.json?sort=${sort}&per_page=3&after=${marks[2]}`);
    assert.deepEqual(body.map(({ data }: { data: { n: number } }) => data.n), [first, first + step, first + 2 * step]);
  });

  const request = new Request(`${server.base_url}/platform/dbs/${code}/export.csv`, {
    headers: { authorization: `Bearer ${admin.token}` },
  });
  const response = await server.handler(request);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader() ?? assert.fail("no body");
  let text = (await reader.read()).value ?? "";
  made(
    await ask("POST", `/platform/dbs/${code}/records.json`, { json: { record: { data: { title: "the very last" } } } }),
  );
  for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
  const lines = text.trimEnd().split("\n");
  assert.equal(lines.length, 1 + COUNT + 1);
  const changed = lines.slice(1, -1).findIndex((line, i) => !line.includes(`,row ${i + 1},,${i + 1},`));
  assert.match(lines[changed + 1] ?? "", /,edited,,70000,/, "the first line that differs is the edited one");
  const rest = lines.slice(70_001, -1).findIndex((line, i) => !line.includes(`,row ${i + 70_001},,${i + 70_001},`));
  assert.equal(rest, -1, "no other line differs");
  assert.match(text, /the very last/, "what was made after the first chunk comes, too: nothing had been read ahead");
});

test("export: a reader who leaves while a page is read is no failure", async ({ ask, server, admin }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  await send(ask, code, "csv", rows(5_000, () => {}));
  const failures = () => server.logged.filter((line) => line.includes("export failed") && line.includes(id)).length;
  const id = `leaves-${crypto.randomUUID()}`;
  const headers = { authorization: `Bearer ${admin.token}`, "x-request-id": id };
  for (const format of ["csv", "ndjson"]) {
    const path = `/platform/dbs/${code}/export.${format}`;
    const { body } = await server.handler(new Request(server.base_url + path, { headers }));
    const reader = body?.getReader();
    await reader?.read();
    // The next page is being read.
    await reader?.cancel();
  }
  await get(ask, code, "csv");
  assert.equal(failures(), 0);
});

test("files: who may, and whose records", async ({ ask, server }) => {
  const department = async (name: string) =>
    made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
  const [one, two] = [await department("One"), await department("Two")];
  const code = await addDb(ask, { schema: SCHEMA, department_id: one });
  await inTurn([one, two], (id) => send(ask, code, "csv", `title\nof ${id}\n`, `?department_id=${id}`));
  await send(ask, code, "csv", "title\nof nobody\n");
  const seen = async (fields: Record<string, unknown>) => {
    const { token } = await addPerson(ask, "user", fields);
    const records = readCsv(await get(as(ask, token), code, "csv"));
    return records.map(({ title }) => title).sort();
  };
  assert.deepEqual(await seen({ department_ids: [one], without_department: false }), [`of ${one}`]);
  assert.deepEqual(await seen({ department_ids: [one] }), ["of nobody", `of ${one}`].sort());
  assert.equal(readCsv(await get(ask, code, "csv")).length, 3);

  // An export that is imported keeps the departments, within what the caller may use.
  const exported = await get(ask, code, "ndjson");
  const other = await addDb(ask, { schema: SCHEMA, department_id: one });
  const departmentsIn = async (db: string) =>
    (await ask("GET", `/platform/dbs/${db}/records.json?sort=title`)).body
      .map(({ department_id }: { department_id: number | null }) => department_id);
  assert.equal((await send(ask, other, "ndjson", exported)).body.created, 3);
  assert.deepEqual(new Set(await departmentsIn(other)), new Set([null, one, two]));
  assert.equal((await send(ask, other, "ndjson", exported, "?department_id=")).body.created, 3);
  assert.equal((await departmentsIn(other)).filter((id: unknown) => id === null).length, 4);
  const of_one = await addPerson(ask, "user", { department_ids: [one], without_department: false });
  const { body: partly } = await send(as(ask, of_one.token), other, "ndjson", exported);
  assert.equal(partly.created, 1);
  assert.match(
    JSON.stringify(partly.errors),
    /^(.*department_id":\["(is not|.*name) one of your departments"\]){2}\}\}\]$/,
  );
  const strange = [999_999, "x", 0].map((department_id) => JSON.stringify({ data: { title: "a" }, department_id }));
  assert.deepEqual((await send(ask, other, "ndjson", strange.join("\n"))).body.errors, [
    { row: 1, fields: { department_id: ["must exist"] } },
    ...[2, 3].map((row) => ({
      row,
      fields: { base: ["must be an object with an object named data, and perhaps an id named department_id"] },
    })),
  ]);

  const reader = as(ask, await addToken(ask, { scopes: ["records:read"] }));
  const guest = as(ask, (await addPerson(ask, "guest")).token);
  const stranger = as(ask, (await addAccount(server)).token);
  const nobody: Ask = (method, path, sent) => ask(method, path, { ...sent, token: null });
  const rights: [who: string, ask: Ask, out: number, into: number, types: number][] = [
    ["nobody", nobody, 401, 401, 401],
    ["a guest", guest, 403, 403, 403],
    ["a token that only reads records", reader, 200, 403, 403],
    ["a stranger", stranger, 404, 404, 404],
  ];
  await inTurn(rights, async ([who, ask, out, into, types]) => {
    const base = `/platform/dbs/${code}`;
    const proven = async (answer: Promise<Answer>) => {
      prove("GET", base, await answer);
      return (await answer).status;
    };
    assert.equal(await proven(ask("GET", `${base}/export.csv`)), out, who);
    assert.equal((await send(ask, code, "csv", "title\na\n")).status, into, who);
    assert.equal(await proven(ask("GET", `${base}/types.d.ts`)), types, who);
  });
});

test("types.d.ts: the tables as TypeScript", async ({ ask }) => {
  const code = await addDb(ask, { code: `guests_${crypto.randomUUID().slice(0, 6)}`, schema: SCHEMA });
  const { status, headers, body } = await ask("GET", `/platform/dbs/${code}/types.d.ts`);
  assert.equal(status, 200);
  assert.match(headers.get("content-type") ?? "", /^text\/plain/);
  assert.match(body, /title: string;\n/);
  assert.match(body, /n: number \| null;/);
  assert.equal((await ask("GET", "/platform/dbs/there_is_none/types.d.ts")).status, 404);
});
