/** The archive of an account: things with stable names, plans, conflicts, and pushes of all or nothing. */
import assert from "node:assert/strict";
import { addAccount, as, type Ask, made } from "../../stage/people.ts";
import { onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const ALL = "/account/archive.json";

interface Thing {
  kind: string;
  key: string;
  etag: string;
  value: Record<string, unknown>;
}

/** An account with one thing of each kind, as its archive has them. */
const WORLD: Omit<Thing, "etag">[] = [
  { kind: "department", key: "sales", value: { name: "Sales", shortcut: "SAL", main: true } },
  {
    kind: "connector",
    key: "fx",
    value: {
      name: "Exchange rates",
      url: "https://fx.example.com/v1",
      fields: { auth: { type: "bearer" }, methods: { latest: { method: "GET", path: "/latest" } } },
    },
  },
  {
    kind: "db",
    key: "rates",
    value: {
      name: "Rates",
      schema: { fields: { currency: "string", mid: "number", note: "text" }, indexes: { idx_str_1: "currency" } },
      public_methods: { list: {} },
      department: "Sales",
    },
  },
  {
    kind: "flow",
    key: "watch",
    value: {
      name: "Watch the rate",
      input: { type: "object", properties: { base: { type: "string" } } },
      program: [
        { type: "connector", id: "rates", connector_code: "fx", method: "latest" },
        { type: "record", action: "create", db_code: "rates", data: { currency: "EUR" } },
      ],
    },
  },
  {
    kind: "app",
    key: "board",
    value: {
      name: "Board",
      app_engine: "js",
      css_engine: "none",
      public: true,
      db_code: "rates",
      actions: [{ action: "refresh", flow_code: "watch", description: null, public: false }],
      fields: { theme: "dark" },
      source_code: "document.title = 'one';\n",
    },
  },
  {
    kind: "app",
    key: "private-notes",
    value: { name: "Private notes", url_code: null, app_engine: "html", source_code: "<p>" },
  },
  {
    kind: "trigger",
    key: "every-day",
    value: {
      name: "Every day",
      target_code: "watch",
      input: { base: "EUR" },
      schedule: "0 9 * * *",
      department: "Sales",
    },
  },
  {
    kind: "trigger",
    key: "rates-changed",
    value: {
      name: "Rates changed",
      kind: "record",
      target_code: "watch",
      record: { at_most: 100, db_code: "rates", filter: { mid: { gte: 4 } }, on: ["create"], table_name: null },
    },
  },
];

const baseOf = (things: readonly Thing[]) => things.map(({ kind, key, etag }) => ({ kind, key, etag }));
const read = async (ask: Ask): Promise<Thing[]> => (await ask("GET", `${ALL}?per_page=100`)).body;
const push = (ask: Ask, archive: object) => ask("POST", ALL, { json: { archive } });
const without = (things: readonly Thing[], ...keys: string[]) => things.filter(({ key }) => !keys.includes(key));
const edited = (things: readonly Omit<Thing, "etag">[], key: string, changes: object) =>
  things.map((thing) => thing.key === key ? { ...thing, value: { ...thing.value, ...changes } } : thing)
    .map(({ kind, key, value }) => ({ kind, key, value }));

/** An account that has the world, and its archive. */
async function filled(ask: Ask): Promise<Thing[]> {
  assert.equal((await push(ask, { things: WORLD })).status, 200);
  return await read(ask);
}

inAccount(
  "archive: a dry run changes nothing; a push makes everything, and its archive is what was pushed",
  async ({ ask, server }) => {
    const dry = await push(ask, { things: WORLD, dry_run: true });
    assert.equal(dry.status, 200, JSON.stringify(dry.body));
    assert.deepEqual(dry.body.changes.map(({ action }: { action: string }) => action), WORLD.map(() => "create"));
    assert.equal(dry.body.applied, false);
    assert.deepEqual(await read(ask), []);

    const { body: plan } = await push(ask, { things: WORLD, secrets: { "connector/fx": "s3cret-token" } });
    assert.equal(plan.applied, true, JSON.stringify(plan));
    assert.deepEqual(plan.changes.flatMap(({ faults }: { faults: object }) => Object.keys(faults)), []);
    const things = await read(ask);
    assert.deepEqual(things.map(({ etag: _, ...thing }) => thing), WORLD);
    assert.deepEqual((await push(ask, { things: WORLD })).body, {
      applied: true,
      changes: [],
      conflicts: [],
      unchanged: WORLD.length,
    });

    const [connector] = (await ask("GET", "/connect/connectors.json")).body;
    assert.equal(connector.has_secret_token, true);
    const audited = (await ask("GET", "/account/audit.json?action=create&object=app")).body;
    assert.equal(audited.length, 2);
    assert.equal(audited[0].via, "token");

    // The same archive in another account has the same etags.
    const other = await addAccount(server);
    const there = as(server.request, other.token);
    assert.deepEqual(baseOf(await filled(there)), baseOf(things));
    const page = await ask("GET", `${ALL}?per_page=3&page=2`);
    assert.deepEqual([page.body.length, page.headers.get("x-total-count")], [3, `${WORLD.length}`]);
    assert.deepEqual((await ask("GET", `${ALL}?kind=flow`)).body.map(({ key }: Thing) => key), ["watch"]);
  },
);

inAccount("archive: a change that fails leaves everything as it was, and all faults are named", async ({ ask }) => {
  const before = await filled(ask);
  const things = [
    ...edited(before, "board", { source_code: "<script>let x = ;</script>", app_engine: "svelte" }).filter(({ key }) =>
      key !== "watch"
    ),
    { kind: "flow", key: "watch", value: { name: "Watch", program: [{ type: "teleport" }] } },
    { kind: "department", key: "support", value: { name: "Support" } },
    { kind: "department", key: "billing", value: { name: "Finance" } },
    { kind: "trigger", key: "never", value: { name: "Never", target_code: "watch", schedule: "61 * * * *" } },
    { kind: "app", key: "lost", value: { name: "Lost", source_code: "x", app_engine: "js", department: "Nowhere" } },
  ];
  const archive = { things, base: baseOf(before) };
  const dry = (await push(ask, { ...archive, dry_run: true })).body;
  const faults = Object.fromEntries(
    dry.changes.flatMap(({ kind, key, faults }: { kind: string; key: string; faults: object }) =>
      Object.entries(faults).map(([field, messages]) => [`${kind}/${key}.${field}`, messages])
    ),
  );
  assert.deepEqual(Object.keys(faults).sort(), [
    "app/board.source_code",
    "app/lost.department",
    "department/billing.name",
    "flow/watch.program.0.type",
    "trigger/never.schedule",
  ]);
  assert.match(faults["app/board.source_code"][0], /^1:/);
  const wet = await push(ask, archive);
  assert.deepEqual([wet.status, wet.body], [422, faults]);
  assert.deepEqual(await read(ask), before);
});

inAccount("archive: what has changed on the server is a conflict; deletions are asked for", async ({ ask }) => {
  const before = await filled(ask);
  const base = baseOf(before);
  const [app] = (await ask("GET", "/platform/apps.json?q=board")).body;
  assert.equal(
    (await ask("PATCH", `/platform/apps/${app.id}.json`, { json: { app: { description: "The server's" } } })).status,
    200,
  );
  const [, , db] = before;
  assert.ok(db);

  const mine = edited(before, "board", { description: "Mine" });
  const refused = await push(ask, { things: mine, base });
  assert.equal(refused.status, 409);
  const [conflict] = refused.body.current.conflicts;
  assert.deepEqual([conflict.kind, conflict.key, conflict.base], [
    "app",
    "board",
    before.find(({ key }) => key === "board")?.etag,
  ]);
  assert.equal(conflict.server.value.description, "The server's");
  // A thing that is sent without a value must be as it was, too.
  const kept = before.map(({ kind, key }) => ({ kind, key }));
  assert.deepEqual((await push(ask, { things: kept, base, dry_run: true })).body.conflicts.length, 1);
  // Without a base there is nothing to overwrite with.
  assert.equal((await push(ask, { things: mine })).status, 409);
  // Agreement is no conflict, whatever the base.
  const { body: agreed } = await push(ask, { things: edited(before, "board", { description: "The server's" }), base });
  assert.deepEqual([agreed.changes, agreed.conflicts], [[], []]);

  const now = await read(ask);
  const fewer = without(now, "every-day", "private-notes").map(({ kind, key }) => ({ kind, key }));
  const planned = await push(ask, { things: fewer, base: baseOf(now) });
  assert.deepEqual(planned.body.changes.map(({ action, key }: { action: string; key: string }) => [action, key]), [
    ["keep", "private-notes"],
    ["keep", "every-day"],
  ]);
  assert.equal((await read(ask)).length, WORLD.length);
  const used = await push(ask, {
    things: without(now, "watch").map(({ kind, key }) => ({ kind, key })),
    base: baseOf(now),
    delete: true,
  });
  assert.deepEqual(used.body, {
    "flow/watch.base": ["is used by the app Board, the trigger Every day, the trigger Rates changed"],
  });
  const of_sales = await push(ask, {
    things: without(now, "sales").map(({ kind, key }) => ({ kind, key })),
    base: baseOf(now),
    delete: true,
  });
  assert.deepEqual(of_sales.body, {
    "department/sales.base": [
      "is the department of the database Rates, the trigger Every day: name another department or none there",
    ],
  });
  const left = edited(without(now, "sales"), "rates", { department: null });
  const moved = edited(left, "every-day", { department: null });
  const planned_move = await push(ask, { things: moved, base: baseOf(now), delete: true, dry_run: true });
  assert.deepEqual(
    planned_move.body.changes.map(({ action, faults }: { action: string; faults: unknown }) => [
      action,
      faults,
    ]),
    [["delete", {}], ["change", {}], ["change", {}]],
  );
  assert.equal((await push(ask, { things: fewer, base: baseOf(now), delete: true })).body.applied, true);
  assert.deepEqual((await read(ask)).map(({ key }) => key), fewer.map(({ key }) => key));
});

inAccount("archive: records and secrets outlive renames; a push loses neither values nor records", async ({ ask }) => {
  const before = await filled(ask);
  made(
    await ask("POST", "/platform/dbs/rates/records.json", {
      json: { record: { data: { currency: "EUR", mid: 4.3, note: "x" } } },
    }),
  );
  const [, , db] = before;
  assert.ok(db);
  const schema = { fields: { currency: "string", mid: "number" }, indexes: { idx_str_1: "currency" } };
  const lossy = await push(ask, { things: edited(before, "rates", { schema }), base: baseOf(before) });
  assert.deepEqual(Object.keys(lossy.body), ["db/rates.schema"]);
  assert.match(lossy.body["db/rates.schema"][0], /^leaves out note, which 1 record use/);
  const gone = await push(ask, {
    things: without(before, "rates", "watch", "every-day", "rates-changed", "board").map(({ kind, key }) => ({
      kind,
      key,
    })),
    base: baseOf(before),
    delete: true,
  });
  assert.match(gone.body["db/rates.base"][0], /^has 1 record: a push deletes none/);

  const fields = { currency: "string", price: "number", note: "text" };
  const renamed = {
    kind: "db",
    key: "prices",
    renamed_from: "rates",
    value: {
      ...db.value,
      schema: { fields, indexes: { idx_str_1: "currency" } },
      rename_fields: [{ from: "mid", to: "price" }],
    },
  };
  const others = without(before, "rates").map(({ kind, key }) => ({ kind, key }));
  const { body: plan } = await push(ask, { things: [renamed, ...others], base: baseOf(before) });
  assert.equal(plan.applied, true, JSON.stringify(plan));
  const [change] = plan.changes;
  assert.deepEqual([change.action, change.from, change.key, change.fields], ["rename", "rates", "prices", ["schema"]]);
  assert.deepEqual(change.warnings.base.toSorted(), [
    "the app Board still names rates, not prices",

    "the flow Watch the rate still names rates, not prices",
    "the trigger Rates changed still names rates, not prices",
  ]);
  const [record] = (await ask("GET", "/platform/dbs/prices/records.json")).body;
  assert.deepEqual(record.data, { currency: "EUR", price: 4.3, note: "x" });
  // A second push of the same file: the renames are made, and change nothing.
  const now = await read(ask);
  assert.deepEqual((await push(ask, { things: [renamed], base: baseOf(now) })).body.unchanged, 1);
});

inAccount("archive: large pushes, and bodies that are no archive", async ({ ask, play }) => {
  const source = `const text = ${JSON.stringify("x".repeat(150_000))};\n`;
  const things = Array.from({ length: 20 }, (_, n) => ({
    kind: "app",
    key: `large-${n}`,
    value: { name: `Large ${n}`, app_engine: "js", css_engine: "none", source_code: source },
  }));
  assert.equal((await push(ask, { things })).body.changes.length, 20);
  const one = { kind: "app", key: "a", value: {} };
  await play([
    {
      name: "unknown kind",
      method: "POST",
      path: ALL,
      sent: { json: { archive: { things: [{ kind: "user", key: "a" }] } } },
      status: 422,
      body: { "things.0.kind": /./ },
    },
    {
      name: "twice",
      method: "POST",
      path: ALL,
      sent: { json: { archive: { things: [one, one] } } },
      status: 422,
      body: { "things.1.key": ["has app/a twice"] },
    },
    {
      name: "faults of a value",
      method: "POST",
      path: ALL,
      sent: { json: { archive: { things: [one] } } },
      status: 422,
      body: { "app/a.name": ["can't be blank"], "app/a.source_code": ["can't be blank"] },
    },
    { name: "page", method: "GET", path: `${ALL}?per_page=101`, status: 400 },
  ]);
});
