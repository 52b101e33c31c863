/** Renamed tables and fields keep their records and values; what names the old name is listed before. */
import assert from "node:assert/strict";
import { made } from "../../stage/people.ts";
import { type Ask, inTurn, onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();
const AT = "/platform/dbs/shop";
const RECORDS = `${AT}/records.json`;

const change = (ask: Ask, db: Record<string, unknown>) => ask("PATCH", `${AT}.json`, { json: { db } });
const add = async (ask: Ask, data: unknown, table_name?: string) =>
  made(await ask("POST", RECORDS, { json: { record: { data, ...table_name && { table_name } } } }));
const dataOf = async (ask: Ask, query: string): Promise<unknown[]> =>
  (await ask("GET", `${RECORDS}?${query}`)).body.map(({ data }: { data: unknown }) => data);

inAccount(
  "renames: fields keep values, index, search, public methods and views; what mentions them is listed",
  async (stage) => {
    const { ask } = stage;
    const db = {
      name: "Shop",
      code: "shop",
      schema: {
        fields: { author: "string", n: "integer", gone: "string" },
        indexes: { idx_str_1: "author", idx_int_1: "n" },
      },
      public_methods: {
        list: { scope_by: "author" },
        create: { allowed_fields: ["author", "n"], required_fields: ["author"], default_values: { n: 1 } },
      },
    };
    made(await ask("POST", "/platform/dbs.json", { json: { db } }));
    await inTurn(
      [["Ada", 1], ["Grace", 2], [null, 3]],
      async ([author, n]) => void await add(ask, { author, n, gone: "x" }),
    );
    const filter = { author: { contains: "a" } };
    const named = { name: "By author", columns: [{ field: "author" }], filter, sort: "-author,n" };
    const view = made(await ask("POST", `${AT}/views.json`, { json: { view: named } }));
    const source = (text: string) => ({
      app_engine: "html",
      css_engine: "none",
      db_code: "shop",
      source_code: `<p>${text}</p>`,
    });
    await inTurn(["author", "authors", "n"], async (name) => {
      made(await ask("POST", "/platform/apps.json", { json: { app: { name, ...source(name) } } }));
    });
    const program = [{ type: "record", action: "list", db_code: "shop", filter: { author: "Ada" } }];
    made(
      await ask("POST", "/connect/flows.json", {
        json: { flow: { name: "Of Ada", code: "ada", fields: { program } } },
      }),
    );
    const settings = { db_code: "shop", filter: { author: "Ada" } };
    made(
      await ask("POST", "/account/crons.json", {
        json: { cron: { name: "Ada", kind: "record", target_code: "ada", record: settings } },
      }),
    );
    const mentions = (await ask("GET", `${AT}/mentions.json?name=author`)).body;
    assert.deepEqual(
      mentions.map(({ kind, name }: Record<string, string>) => `${kind} ${name}`),
      ["app author", "flow Of Ada", "cron Ada"],
    );
    assert.equal((await ask("GET", `${AT}/mentions.json`)).body.length, 5);
    const uses = (await ask("GET", `${AT}/uses.json`)).body;
    assert.deepEqual(
      uses.map(({ kind, name, names }: { kind: string; name: string; names: string[] }) =>
        `${kind} ${name}: ${names.join(", ")}`
      ),
      ["app author: author", "app authors: ", "app n: n", "flow Of Ada: author", "cron Ada: author"],
      "a name inside a longer word is not named",
    );

    const after = {
      fields: { writer: "string", gone: "integer", n: "integer" },
      indexes: { idx_str_2: "writer", idx_int_1: "n" },
    };
    const rename = [{ from: "author", to: "writer" }, { from: "n", to: "gone" }];
    // The old `gone` would be lost; the refusal says so.
    const refused = await change(ask, { schema: after, rename_fields: rename });
    assert.deepEqual([refused.status, refused.body], [422, {
      "rename_fields.1.to": ["is another field before the change"],
    }]);
    const both = [...rename, { from: "gone", to: "n" }];
    const swap = {
      fields: { writer: "string", gone: "integer", n: "string" },
      indexes: { idx_str_2: "writer", idx_int_1: "gone" },
    };
    const answer = await change(ask, { schema: swap, rename_fields: both });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.deepEqual(answer.body.public_methods, {
      list: { scope_by: "writer" },
      create: { allowed_fields: ["writer", "gone"], required_fields: ["writer"], default_values: { gone: 1 } },
    });
    assert.deepEqual(await dataOf(ask, "sort=gone"), [
      { writer: "Ada", gone: 1, n: "x" },
      { writer: "Grace", gone: 2, n: "x" },
      { writer: null, gone: 3, n: "x" },
    ]);
    assert.equal((await dataOf(ask, "filter[writer]=Ada")).length, 1, "by its index");
    assert.equal((await dataOf(ask, "q=grac")).length, 1, "by the search");
    assert.equal((await dataOf(ask, "q=x")).length, 3, "what two fields have exchanged is searched");
    const shown = (await ask("GET", `${AT}/views/${view.id}.json`)).body;
    assert.deepEqual([shown.columns[0].field, shown.filter, shown.sort, shown.left_out], [
      "writer",
      { writer: { contains: "a" } },
      "-writer,gone",
      [],
    ]);
    // The old name is free again, and its search begins anew.
    assert.equal((await change(ask, { schema: { ...swap, fields: { ...swap.fields, author: "text" } } })).status, 200);
    await add(ask, { author: "New", gone: 4 });
    assert.deepEqual([(await dataOf(ask, "q=new")).length, (await dataOf(ask, "q=ada")).length], [1, 1]);
  },
);

inAccount(
  "renames: tables keep records and views, also from one without a name; wrong names are 422",
  async ({ ask }) => {
    const orders = { fields: { title: "string" } };
    made(await ask("POST", "/platform/dbs.json", { json: { db: { name: "Shop", code: "shop", schema: orders } } }));
    await add(ask, { title: "One" });
    const view = made(await ask("POST", `${AT}/views.json`, { json: { view: { name: "All" } } }));
    const several = { tables: { orders: { fields: { label: "string" } }, notes: { fields: { text: "text" } } } };
    const rename_tables = [{ from: "", to: "orders" }];
    const faults: [Record<string, unknown>, Record<string, string[]>][] = [
      [{ rename_tables: [{ from: "none", to: "orders" }] }, {
        "rename_tables.0.from": ["is no table before the change"],
      }],
      [{ rename_tables: [{ from: "", to: "none" }] }, { "rename_tables.0.to": ["is not in the schema"] }],
      [{ rename_fields: [{ table_name: "notes", from: "a", to: "b" }] }, {
        "rename_fields.0.table_name": ["is no table before and after the change"],
      }],
      [{ rename_tables, rename_fields: [{ table_name: "orders", from: "a", to: "b" }] }, {
        "rename_fields.0.from": ["is no field before the change"],
        "rename_fields.0.to": ["is not in the schema"],
      }],
    ];
    await inTurn(faults, async ([db, body]) => {
      const answer = await change(ask, { schema: several, ...db });
      assert.deepEqual([answer.status, answer.body], [422, body]);
    });
    const rename_fields = [{ table_name: "orders", from: "title", to: "label" }];
    assert.equal((await change(ask, { schema: several, rename_tables, rename_fields })).status, 200);
    assert.deepEqual(await dataOf(ask, "table_name=orders"), [{ label: "One" }]);
    assert.equal((await ask("GET", `${AT}/views/${view.id}.json`)).body.table_name, "orders");
    const { notes, ...rest } = several.tables;
    const sales = { tables: { sales: rest.orders, notes } };
    assert.equal((await change(ask, { schema: sales, rename_tables: [{ from: "orders", to: "sales" }] })).status, 200);
    assert.deepEqual(await dataOf(ask, "table_name=sales&q=one"), [{ label: "One" }]);
    await add(ask, { text: "Still here" }, "notes");
  },
);
