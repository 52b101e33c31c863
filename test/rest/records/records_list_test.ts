/** Lists of records: parameters, headers, pages, and tables larger than the window that a search reads first. */
import assert from "node:assert/strict";
import { addDb, type Listed, type TestDb } from "../../stage/db.ts";
import { NO_UUID } from "../../stage/addresses.ts";
import { type Kept, listed, parametersOf, SCHEMA, type Wanted } from "../../stage/random/records_oracle.ts";
import { type Ask, inTurn, onSharedServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

/** Creates records in the order given. @returns their ids */
async function createAll(ask: Ask, db: TestDb, rows: readonly Record<string, unknown>[]): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < rows.length; at += 1_000) {
    const operations = rows.slice(at, at + 1_000).map((data) => ({ action: "create", record: { data } }));
    const { status, body } = await ask("POST", db.records().replace(".json", "/batch.json"), { json: { operations } });
    assert.equal(status, 200, JSON.stringify(body).slice(0, 300));
    ids.push(...body.map(({ id }: Listed) => id));
  }
  return ids;
}

inAccount("records: lists", async ({ server, ask, play }) => {
  const db = await addDb(ask, {
    fields: { name: "string", n: "integer", day: "date" },
    indexes: { idx_int_1: "n" },
  });
  const ids = await createAll(ask, db, [{ name: "a", n: 3 }, { name: "B", n: 1 }, { name: "ą" }, {
    n: 2,
    day: "2024-02-29",
  }]);
  const row = (
    name: string,
    query: Record<string, string>,
    order: number[],
    more: Partial<Scenario> = {},
  ): Scenario => ({
    name,
    method: "GET",
    path: db.records(query),
    status: 200,
    body: order.map((i) => ({ id: ids[i] })),
    ...more,
  });
  const link = (query: string, rel: string) => `<${server.base_url}${db.records()}?${query}>; rel="${rel}"`;
  await play([
    row("the newest first, uncounted", {}, [3, 2, 1, 0], { headers: { "x-total-count": null, link: null } }),
    row("sort=created_at", { sort: "created_at" }, [0, 1, 2, 3]),
    row("sort=id", { sort: "id" }, [0, 1, 2, 3]),
    row("sort=-updated_at", { sort: "-updated_at" }, [3, 2, 1, 0]),
    row("blanks come first in ascending order", { sort: "n" }, [2, 1, 3, 0]),
    row("and last in descending", { sort: "-n" }, [0, 3, 1, 2]),
    row("texts in the order of their letters' codes", { sort: "name" }, [3, 1, 0, 2]),
    row("equal ones in the order of their creation", { sort: "day" }, [0, 1, 2, 3]),
    row("or against it", { sort: "-day" }, [3, 2, 1, 0]),
    row("equal ones by the next field", { sort: "day,-n" }, [0, 1, 2, 3]),
    row("whose direction is its own", { sort: "-day,n" }, [3, 2, 1, 0]),
    row("also behind a record", { sort: "-day,n", after: ids[2] ?? "" }, [1, 0]),
    row("and with blanks behind", { sort: "day,-n", after: ids[0] ?? "", per_page: "2" }, [1, 2]),
    row("pages", { per_page: "3", page: "2" }, [0]),
    row("uncounted pages link to the next one", { per_page: "3" }, [3, 2, 1], {
      headers: { link: link("per_page=3&page=2", "next"), "x-total-count": null },
    }),
    row("also behind a record", { per_page: "2", after: ids[3] ?? "" }, [2, 1], {
      headers: { link: link(`per_page=2&after=${ids[1]}`, "next") },
    }),
    row("also with a range", { per_page: "1", "filter[n][gte]": "1" }, [3], {
      headers: { link: link("per_page=1&filter%5Bn%5D%5Bgte%5D=1&page=2", "next") },
    }),
    row("the last page that is full has none", { per_page: "2", page: "2" }, [1, 0], { headers: { link: null } }),
    row("a page beyond the end is empty", { page: "9" }, []),
    row(
      "count=true counts over all pages, with links that keep the query",
      {
        per_page: "2",
        page: "1",
        "filter[n][gte]": "1",
        count: "true",
      },
      [3, 1],
      {
        headers: {
          "x-total-count": "3",
          link: [["first", 1], ["next", 2], ["last", 2]].map(([rel, page]) =>
            link(`per_page=2&page=${page}&filter%5Bn%5D%5Bgte%5D=1&count=true`, `${rel}`)
          ).join(", "),
        },
      },
    ),
    row(
      "behind a record: all are counted, and the links are to the first page and to what comes behind this one",
      { after: ids[3] ?? "", count: "1", per_page: "2" },
      [2, 1],
      {
        headers: {
          "x-total-count": "4",
          link: [
            link("count=1&per_page=2&page=1", "first"),
            link(`count=1&per_page=2&after=${ids[1]}`, "next"),
            link("count=1&per_page=2&page=2", "last"),
          ].join(", "),
        },
      },
    ),
    row(
      "behind a record: after the last one there is no link to a next page",
      { after: ids[1] ?? "", count: "1", per_page: "2" },
      [0],
      {
        headers: {
          link: [
            link("count=1&per_page=2&page=1", "first"),
            link("count=1&per_page=2&page=2", "last"),
          ].join(", "),
        },
      },
    ),
    row("fields=: those alone", { fields: "n,name,n" }, [3, 2, 1, 0], {
      then({ body }) {
        assert.deepEqual(body[0].data, { n: 2, name: null });
        assert.deepEqual(Object.keys(body[0]).length, 7, "beside what every record has");
      },
    }),
    {
      name: "fields=: a search may name the common columns",
      method: "GET",
      path: db.search({ fields: "id,day,created_at", per_page: "1" }),
      status: 200,
      then({ body }) {
        assert.deepEqual(Object.keys(body[0]).sort(), ["created_at", "day", "id", "updated_at"]);
        assert.equal(body[0].day, "2024-02-29");
      },
    },
    {
      name: "fields=: of one record",
      method: "GET",
      path: db.record(ids[0] ?? "", "?fields=n"),
      status: 200,
      body: { id: ids[0] },
      then({ body }) {
        assert.deepEqual(body.data, { n: 3 });
      },
    },
    {
      name: "a search is flat",
      method: "GET",
      path: db.search({ sort: "n", per_page: "2" }),
      status: 200,
      then({ body }) {
        const [{ created_at, updated_at, ...first }] = body;
        assert.deepEqual(first, { id: ids[2], name: "ą", n: null, day: null });
        assert.equal(created_at, updated_at);
      },
    },
    row("HEAD: as GET", { count: "true" }, [], { method: "HEAD", body: undefined, headers: { "x-total-count": "4" } }),
    row("what is told of its creation finds it", {}, [3, 2, 1, 0], {
      then: async ({ body }) => {
        const [{ created_at, updated_at }] = body;
        const { body: same } = await ask("GET", db.records({ "filter[created_at]": created_at }));
        assert.ok(same.some(({ id }: Listed) => id === ids[3]));
        assert.deepEqual((await ask("GET", db.records({ "filter[updated_at][gt]": updated_at }))).body, []);
      },
    }),
    row("a blank is no moment", { "filter[created_at]": "" }, []),
  ]);
  await ask("PATCH", db.record(ids[1] ?? ""), { json: { record: { data: { n: 7 } } } });
  const { body: [changed] } = await ask("GET", db.records({ sort: "-updated_at", per_page: "1" }));
  assert.equal(changed.id, ids[1]);
  assert.deepEqual((await ask("GET", db.records({ "filter[updated_at][gt]": changed.updated_at }))).body, []);
  assert.equal((await ask("GET", db.records({ "filter[updated_at]": changed.updated_at }))).body[0]?.id, ids[1]);
});

/** Queries that are refused with 400, and their messages. */
const BAD: [query: string, told: RegExp][] = [
  ["page=0", /page/],
  ["page=x", /page/],
  ["per_page=501", /per_page/],
  ["count=yes", /count/],
  ["sort=nope", /^sort names no field of this table: nope$/],
  ["sort=", /^sort /],
  ["sort=--n", /^sort /],
  ["sort=n,nope", /^sort names no field of this table: nope$/],
  ["sort=n,", /^sort names no field/],
  ["sort=n,-n", /^sort names n twice$/],
  ["sort=n,name,day,id,created_at", /^sort has more than 4 fields$/],
  ["sort=n;drop table records", /^sort /],
  ["sort=n&sort=name", /^sort is given twice$/],
  ["fields=nope", /^fields names no field of this table: nope$/],
  ["fields=", /^fields /],
  ["fields=n,,name", /^fields /],
  ["after=x", /^after /],
  ["after=00000000-0000-0000-0000-000000000000", /^after /],
  ["after=0193a5c8-7a40-4c3e-9a43-6f0c2a9d1e55", /^after /],
  [`after=${NO_UUID}&page=2`, /^after and page exclude each other$/],
  [`after=${NO_UUID}&sort=n`, /^after names no record of this table$/],
  [`after=${NO_UUID}&sort=-name`, /^after names no record of this table$/],
  ["filter=x", /^filter must be an object$/],
  ["filter[]=x", /^filter must be an object$/],
  ["filter[n=x", /malformed name/],
  ["filter[n]]=x", /malformed name/],
  ["filter[n]=1&filter[n]=2", /^filter\[n\] is given twice$/],
  ["filter[n]=1&filter[n][gt]=2", /n is given in two ways/],
  ["filter[n][gt]=2&filter[n]=1", /n is given in two ways/],
  ["filter[n][gt][x]=2", /filter/],
  ["filter[nope]=x", /^filter\[nope\] names no field of this table$/],
  ["filter[constructor]=x", /^filter\[constructor\] names no field/],
  ["filter[n][like]=x", /^filter\[n\]\[like\]: the operators are eq, ne, gt, gte, lt, lte, in, contains$/],
  ["filter[n][contains]=1", /contains is for string and text fields, and n is integer$/],
  ["filter[n]=five", /^filter\[n\] must be an integer$/],
  ["filter[n]=1.5", /must be an integer$/],
  ["filter[n]=9007199254740993", /must be an integer$/],
  ["filter[n][in]=1,x", /^filter\[n\]\[in\] must be an integer$/],
  ["filter[day]=2024-02-30", /must be a date/],
  ["filter[name]=%00", /cannot be stored/],
  ["filter[created_at]=yesterday", /ISO 8601/],
];

inAccount("records: a list refuses a bad parameter with 400 that names it", async ({ ask, play }) => {
  const db = await addDb(ask, { fields: { name: "string", n: "integer", day: "date" }, indexes: { idx_int_1: "n" } });
  await play(
    [["q=%00", /^q /] as const, [`q=${"x".repeat(256)}`, /^q /] as const, ...BAD].map(([query, told]): Scenario => ({
      name: query.slice(0, 60),
      method: "GET",
      path: `${db.search()}?${query}`,
      status: 400,
      body: { code: "bad_request", error: told },
      then: async () => {
        assert.equal((await ask("GET", `${db.records()}?${query}`)).status, 400, "lists as well");
      },
    })),
  );
  assert.equal(
    (await ask("GET", `${db.records()}?constructor[a]=1`)).status,
    400,
    "others are unknown",
  );
});

inAccount("records: paging goes on where the record it stands on is gone", async ({ ask }) => {
  const db = await addDb(ask, { fields: { n: "integer" }, indexes: { idx_int_1: "n" } });
  const ids = await createAll(ask, db, [{ n: 1 }, { n: 1 }, { n: 2 }, { n: 3 }]);
  const after = ids[1] ?? "";
  await ask("DELETE", db.record(after));
  const walk = async (sort: string) => {
    const { body } = await ask("GET", db.records({ sort, after }));
    return body.map(({ id }: Listed) => ids.indexOf(id));
  };
  assert.deepEqual(await walk("created_at"), [2, 3]);
  assert.deepEqual(await walk("-created_at"), [0]);
  assert.deepEqual(await walk("-id"), [0]);
  const refused = await ask("GET", db.records({ sort: "n", after }));
  assert.deepEqual([refused.status, refused.body.error], [400, "after names no record of this table"]);
  const marks = await ask("GET", `/platform/dbs/${db.code}/record_marks.json?sort=n&after=${after}`);
  assert.deepEqual([marks.status, marks.body.error], [400, refused.body.error], "an empty list would be its end");
  const other = await addDb(ask, { fields: { n: "integer" } });
  const { id } = await other.create({ n: 2 });
  assert.equal((await ask("GET", db.records({ sort: "n", after: id }))).status, 400, "another table's is none");
});

/** More records than the window that a search reads first. */
const MANY = 5_300;

inAccount("records: a large table gives what the oracle finds, however rare it is", async ({ ask }) => {
  const db = await addDb(ask, SCHEMA);
  const rows = Array.from({ length: MANY }, (_, i) => ({
    n: i % 100,
    n_2: i % 100,
    s: i % 7 ? `name ${i % 50}` : null,
    t: i === 12 || i === MANY - 3 ? "a rare Needle here" : i % 2 ? "common words" : `only ${i}`,
    price: i % 3,
    at: new Date(1.7e12 + (i * 7919 % MANY) * 1000).toISOString(),
  }));
  const ids = await createAll(ask, db, rows);
  const records: Kept[] = rows.map((data, i) => ({ id: ids[i] ?? "", data }));
  const sees = async (q: string | undefined, wanted: Wanted[], more: Record<string, string>) => {
    const { per_page = "100", page = "1", sort, after } = more;
    const query = new URLSearchParams([...parametersOf(wanted), ...Object.entries(more), ...q ? [["q", q]] : []]);
    const { body, headers } = await ask("GET", db.search(`${query}`));
    const found = q
      ? records.filter(({ data }) => `${data.t} ${data.s ?? ""}`.toLowerCase().includes(q.toLowerCase()))
      : records;
    const all = listed(found, wanted, sort);
    const whole = listed(records, [], sort);
    const behind = whole.slice(whole.findIndex(({ id }) => id === after) + 1);
    const from = (Number(page) - 1) * Number(per_page);
    const expected = all.filter((record) => behind.includes(record)).slice(from, from + Number(per_page))
      .map(({ id }) => ids.indexOf(id));
    assert.deepEqual(body.map(({ id }: Listed) => ids.indexOf(id)), expected, `${q} ${query}`);
    if (more.count) assert.equal(headers.get("x-total-count"), `${all.length}`);
  };
  const gte = (field: string, value: number): Wanted => ({ field, operator: "gte", values: [value] });
  const is = (field: string, value: number | string): Wanted => ({ field, operator: "eq", values: [value] });
  const deep = { after: ids[40] ?? "" };
  await inTurn<[string | undefined, Wanted[], Record<string, string>]>([
    ["NEEDLE", [], {}],
    ["needle", [], { sort: "created_at", count: "true" }],
    ["needle", [], { sort: "n" }],
    ["needle", [], { sort: "-price" }],
    ["needle", [gte("n", 50)], {}],
    ["needle", [is("n", 12)], {}],
    ["common", [], { per_page: "20" }],
    ["common", [], { per_page: "20", page: "120" }],
    ["common", [], { per_page: "500", sort: "s", page: "4" }],
    ["zz", [], {}],
    ["ee", [], {}],
    ["common", [], { ...deep, per_page: "30" }],
    [undefined, [gte("n", 99)], { per_page: "10", count: "true" }],
    [undefined, [gte("n", 99)], { per_page: "10", page: "6" }],
    [undefined, [gte("n", 98), is("price", 1)], { sort: "at", per_page: "15" }],
    [undefined, [gte("n_2", 98), is("price", 1)], { sort: "-at", per_page: "15" }],
    [undefined, [is("n", 3)], { sort: "s", per_page: "15", page: "2" }],
    [undefined, [is("n", 3), is("s", "name 3")], { sort: "-updated_at" }],
    [undefined, [is("n", 40)], { ...deep, per_page: "30" }],
    [undefined, [{ field: "s", operator: "contains", values: ["E 4"] }, gte("n", 90)], {
      per_page: "25",
      sort: "created_at",
    }],
    [undefined, [], { sort: "price", per_page: "500", page: "11" }],
    [undefined, [], { sort: "-at", per_page: "7", page: "600" }],
  ], ([q, wanted, more]) => sees(q, wanted, more));
});
