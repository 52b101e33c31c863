/** Named views of tables: own ones, shared ones, and what a change of the schema leaves of them. */
import assert from "node:assert/strict";
import { addPerson, as, made } from "../../stage/people.ts";
import { inTurn, onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const SCHEMA = {
  tables: {
    orders: { fields: { title: "string", n: "integer", due: "date" }, indexed_fields: ["n"] },
    notes: { fields: { text: "text" } },
  },
};
const VIEW = {
  name: "Large",
  table_name: "orders",
  columns: [{ field: "title", width: 300, frozen: true }, { field: "n" }, { field: "id", hidden: true }],
  filter: { n: { gte: "5", lt: 90 }, title: { contains: "a" } },
  q: "chain",
  sort: "-n,title",
};

inAccount(
  "views: an own one is its owner's, a shared one everyone's; its owner and managers change it",
  async (stage) => {
    const { ask } = stage;
    const db = { name: "Shop", code: "shop", schema: SCHEMA };
    made(await ask("POST", "/platform/dbs.json", { json: { db } }));
    const at = "/platform/dbs/shop/views";
    const [one, other, manager] = [
      await addPerson(ask, "user"),
      await addPerson(ask, "user"),
      await addPerson(ask, "manager"),
    ];
    const [ones, others, managers] = [one, other, manager].map(({ token }) => as(ask, token));
    assert.ok(ones && others && managers);
    const view = made(await ones("POST", `${at}.json`, { json: { view: VIEW } }));
    const by = `${at}/${view.id}.json`;
    const { columns, filter, q, sort, left_out, shared, owner_id, table_name } = view;
    assert.deepEqual({ columns, filter, q, sort, left_out, shared, owner_id, table_name }, {
      columns: [
        { field: "title", width: 300, hidden: false, frozen: true },
        { field: "n", hidden: false, frozen: false },
        { field: "id", hidden: true, frozen: false },
      ],
      filter: VIEW.filter,
      q: "chain",
      sort: "-n,title",
      left_out: [],
      shared: false,
      owner_id: one.id,
      table_name: "orders",
    });
    assert.equal(
      (await ones("POST", `${at}.json`, { json: { view: { ...VIEW, name: "LARGE" } } })).body.name?.[0],
      "has already been taken",
    );
    const of_other = made(await others("POST", `${at}.json`, { json: { view: VIEW } }));
    assert.notEqual(of_other.id, view.id, "another user may take the same name");
    const change = (json: Record<string, unknown>) => ({ json: { view: json } });
    await inTurn([others, managers], async (person) => {
      assert.equal((await person("GET", by)).status, 404);
      assert.equal((await person("PATCH", by, change({ q: "" }))).status, 404);
      assert.equal((await person("DELETE", by)).status, 404);
    });

    assert.equal((await ones("PATCH", by, change({ shared: true }))).body.shared, true);
    assert.deepEqual((await others("GET", by)).body.filter, VIEW.filter);
    assert.equal((await others("PATCH", by, change({ q: "" }))).status, 403);
    assert.equal((await others("DELETE", by)).status, 403);
    const renamed = await managers("PATCH", by, change({ name: "Very large", q: "" }));
    assert.deepEqual([renamed.body.name, renamed.body.q, renamed.body.sort], ["Very large", "", "-n,title"]);
    assert.match((await managers("PATCH", by, change({ shared: false }))).body.shared[0], /owner only/);
    const list = await others("GET", `${at}.json?table_name=orders&sort=-name`);
    assert.deepEqual(list.body.map(({ name }: { name: string }) => name), ["Very large", "Large"]);
    assert.equal(list.headers.get("x-total-count"), "2");
    assert.deepEqual((await others("GET", `${at}.json?table_name=notes`)).body, []);
    assert.equal((await others("GET", `${at}.json?shared=true`)).status, 400);

    // A deleted user's own views go; the shared ones stay.
    assert.equal((await ones("POST", `${at}.json`, { json: { view: { ...VIEW, name: "Mine" } } })).status, 201);
    assert.equal((await ask("DELETE", `/account/user_settings/${one.id}.json`)).status, 204);
    assert.equal((await others("GET", by)).body.owner_id, null);
    const [left] = await stage.server.sql`select count(*)::int as n from db_views where name = 'Mine'`;
    assert.equal(left?.n, 0);
    assert.equal((await managers("DELETE", by)).status, 204);
    assert.equal((await managers("GET", by)).status, 404);
  },
);

inAccount("views: each wrong part is named; at most 100 of a user and a table", async ({ ask, server }) => {
  made(await ask("POST", "/platform/dbs.json", { json: { db: { name: "Shop", code: "shop", schema: SCHEMA } } }));
  const path = "/platform/dbs/shop/views.json";
  const faults: [Record<string, unknown>, Record<string, string[]>][] = [
    [{ table_name: undefined }, { table_name: ["can't be blank"] }],
    [{ table_name: "none" }, { table_name: ["is no table of this database"] }],
    [{ name: " " }, { name: ["can't be blank"] }],
    [{ columns: [{ field: "n" }, { field: "color" }, { field: "n" }] }, {
      "columns.1.field": ["names no field of this table"],
      "columns.2.field": ["is given twice"],
    }],
    [{ columns: [{ field: "n" }, { field: "title", frozen: true }] }, {
      "columns.1.frozen": ["must stand in front of the columns that scroll"],
    }],
    [{ columns: [{ field: "n", width: 1 }] }, { "columns.0.width": ["must be at least 40"] }],
    [{ filter: { color: "red", n: { gte: "many", like: 1 } } }, {
      "filter.color.eq": ["names no field of this table"],
      "filter.n.gte": ["must be an integer"],
      "filter.n.like": ["the operators are eq, ne, gt, gte, lt, lte, in, contains"],
    }],
    [{ filter: { n: { contains: "1" } } }, {
      "filter.n.contains": ["contains is for string and text fields, and n is integer"],
    }],
    [{ sort: "color" }, { sort: ["names no field of this table"] }],
    [{ sort: "n,n" }, { sort: ["names n twice"] }],
    [{ filter: { title: { in: Array(400).fill("x".repeat(100)) } } }, {
      filter: ["is too long (maximum is 32768 characters)"],
    }],
  ];
  await inTurn(faults, async ([wrong, body]) => {
    const answer = await ask("POST", path, { json: { view: { ...VIEW, ...wrong } } });
    assert.deepEqual([answer.status, answer.body], [422, body]);
  });
  assert.equal((await ask("GET", "/platform/dbs/shop/views.json?table_name=none")).status, 404);
  const { table_id, account_id, owner_id } = await (async () => {
    made(await ask("POST", path, { json: { view: VIEW } }));
    const [row] = await server.sql`select table_id, account_id, owner_id from db_views order by id desc limit 1`;
    assert.ok(row);
    return row;
  })();
  await server.sql`
    insert into db_views (account_id, table_id, name, name_folded, owner_id, settings)
    select ${account_id}, ${table_id}, n, n, ${owner_id}, '{"columns":[],"filter":{},"q":"","sort":""}'
    from (select 'view ' || i from generate_series(1, 99) i) t (n)
  `;
  const answer = await ask("POST", path, { json: { view: { ...VIEW, name: "One more" } } });
  assert.deepEqual([answer.status, answer.body], [422, {
    base: ["You have 100 views of this table; delete one first"],
  }]);
});

inAccount("views: one that names a removed field still opens, and says what it leaves out", async ({ ask }) => {
  const at = "/platform/dbs/shop";
  made(await ask("POST", "/platform/dbs.json", { json: { db: { name: "Shop", code: "shop", schema: SCHEMA } } }));
  const { id } = made(await ask("POST", `${at}/views.json`, { json: { view: VIEW } }));
  const [orders, notes] = [{ fields: { title: "integer", due: "date" } }, SCHEMA.tables.notes];
  assert.equal(
    (await ask("PATCH", `${at}.json`, { json: { db: { schema: { tables: { orders, notes } } } } })).status,
    200,
  );
  const { body } = await ask("GET", `${at}/views/${id}.json`);
  assert.deepEqual([body.filter, body.sort, body.columns.map(({ field }: { field: string }) => field)], [{}, "title", [
    "title",
    "id",
  ]]);
  assert.deepEqual(
    body.left_out.map(({ part, field, reason }: Record<string, string>) => `${part} ${field} ${reason}`),
    [
      "columns n names no field of this table",
      "filter n names no field of this table",
      "filter n names no field of this table",
      "filter title contains is for string and text fields, and title is integer",
      "sort n names no field of this table",
    ],
  );
  const saved = await ask("PATCH", `${at}/views/${id}.json`, { json: { view: { q: "" } } });
  assert.deepEqual([saved.status, saved.body.left_out, saved.body.sort], [200, [], "title"]);
  // With its table, a view goes.
  const only = { tables: { notes } };
  assert.equal((await ask("PATCH", `${at}.json`, { json: { db: { schema: only } } })).status, 200);
  assert.deepEqual((await ask("GET", `${at}/views.json`)).body, []);
});
