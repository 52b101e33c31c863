/** The audit log: every write leaves a row, without secrets, and rows cannot be changed or deleted. */
import assert from "node:assert/strict";
import type { AnyTRPCProcedure } from "@trpc/server";
import { PLAIN_ROUTES } from "../../../server/http/catalog.ts";
import { loadRouter } from "../../../server/router.ts";
import { addAccount, addPerson, as, type Ask, made } from "../../stage/people.ts";
import { inTurn, onOwnServer, testBeside } from "../../stage/scenario.ts";
import { NO_CHANGES, UNAUDITED_TABLES } from "./exceptions.ts";
import { WRITES } from "./writes.ts";

const onServer = onOwnServer();
const of_default = { of_default: true };

interface Entry {
  id: string;
  action: string;
  object: string;
  object_id: string;
  user_id: number | null;
  user_name: string | null;
  via: string;
  address: string;
  request_id: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

async function entries(ask: Ask, query = ""): Promise<Entry[]> {
  const { status, body } = await ask("GET", `/account/audit.json?per_page=500${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

const router = await loadRouter();

testBeside({
  name: "audit: every route that writes is called below, or has a reason why it changes nothing",
  fn: () => {
    const mutations = Object.entries<AnyTRPCProcedure>(router._def.procedures)
      .filter(([, { _def }]) => _def.type === "mutation").map(([name]) => name);
    const plain = PLAIN_ROUTES.filter(({ method }) => method !== "GET").map(({ name }) => name);
    const known = new Set([...Object.keys(WRITES), ...Object.keys(NO_CHANGES)]);
    // Public lists are queries that are sent as POST.
    const missing = [...mutations, ...plain].filter((name) => !known.has(name));
    assert.deepEqual(missing, [], "add them to test/rest/audit/writes.ts or exceptions.ts: they say how");
    const gone = [...known].filter((name) => ![...mutations, ...plain, "records.public.list"].includes(name));
    assert.deepEqual(gone, [], "remove them from test/rest/audit/writes.ts");
  },
});

onServer("audit: every table is audited, or has a reason why not", async ({ server }) => {
  const tables = await server.sql<{ name: string; audited: boolean }[]>`
    select
      c.relname as name,
      exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname like 'audited%') as audited
    from pg_class c
    where c.relkind = 'r'
      and c.relnamespace = 'public'::regnamespace
  `;
  const unaudited = tables.filter(({ audited }) => !audited).map(({ name }) => name);
  const missing = unaudited.filter((name) => !Object.hasOwn(UNAUDITED_TABLES, name));
  assert.deepEqual(missing, [], "`call audit_table(…)` in their migration (see 0021_audit.sql), or name a reason");
});

onServer("audit: every write leaves a row with its request, actor and address", async ({ server, ask }) => {
  await server.sql`update dbs set public_write_limit = 1000`;
  await inTurn(Object.entries(WRITES), async ([name, { row, call }]) => {
    const { status, headers, body } = await call({ ask, server });
    assert.ok(status < 400, `${name}: ${status} ${JSON.stringify(body)}`);
    const found = await server.sql<{ row: string; actor: { via: string; address: string } }[]>`
      select object || '.' || action as row, actor
      from audit_entries
      where actor ->> 'request_id' = ${headers.get("x-request-id")}
    `;
    const rows = found.map((entry) => entry.row);
    assert.ok(
      rows.includes(row),
      `${name} left ${JSON.stringify(rows)}, not ${row}: its write must use ctx.sql, and its table audit_table()`,
    );
    for (const { actor } of found) assert.notEqual(actor.via, "server", name);
  });
  const [secret] = await server.sql`select from audit_entries e where e::text like '%canary-of%'`;
  assert.equal(secret, undefined, "a secret stands in the log");
}, of_default);

onServer("audit: the changed fields before and after, by whom; hidden secrets, truncated values", async (stage) => {
  const { ask, server } = stage;
  const user = await addPerson(ask, "manager", { password: "canary of a password" });
  const { id } = made(await ask("POST", "/account/departments.json", { json: { department: { name: "Sales" } } }));
  await ask("PATCH", `/account/departments/${id}.json`, {
    json: { department: { name: "Sales EU", description: "x".repeat(5_000), user_setting_ids: [user.id] } },
  });
  const [changed, created, ...none] = await entries(ask, `&object=department&object_id=${id}`);
  assert.deepEqual([none, changed?.action, created?.action, created?.user_id, created?.via], [
    [],
    "update",
    "create",
    stage.admin.id,
    "token",
  ]);
  assert.deepEqual(changed?.before, { name: "Sales", description: null });
  assert.deepEqual(changed?.after, {
    name: "Sales EU",
    description: { truncated: "x".repeat(1_000), characters: 5_000 },
  });
  const [joined] = await entries(ask, `&object=user_setting&object_id=${user.id}`);
  assert.deepEqual([joined?.before, joined?.after], [null, { department_ids: [id] }]);
  const connector = { name: "C", url: "https://api.example.com", secret_token: "canary of a connector" };
  const made_one = made(await ask("POST", "/connect/connectors.json", { json: { connector } }));
  const path = `/connect/connectors/${made_one.id}.json`;
  await ask("PATCH", path, { json: { connector: { secret_token: "canary, rotated" } } });
  const [rotated] = await entries(ask, "&object=connector");
  assert.deepEqual(rotated?.after, { secret_token: "[hidden]" });
  await ask("PATCH", `/account/user_settings/${user.id}.json`, {
    json: { user_setting: { password: "canary, again" } },
  });
  assert.doesNotMatch(JSON.stringify(await entries(ask)), /canary/);
  const [hash] = await server.sql`select from audit_entries e where e::text like '%scrypt%'`;
  assert.equal(hash, undefined);
});

onServer(
  "audit: records: the fields of a change, one row for a batch and for an import, none for a visitor's create",
  async ({ ask, server }) => {
    const schema = { fields: { title: "string", note: "text" } };
    const public_methods = { create: {} };
    const db = made(
      await ask("POST", "/platform/dbs.json", { json: { db: { name: "Books", schema, public_methods } } }),
    );
    const path = `/platform/dbs/${db.code}`;
    const record = made(await ask("POST", `${path}/records.json`, { json: { record: { data: { title: "One" } } } }));
    const change = (data: unknown) => ask("PATCH", `${path}/records/${record.id}.json`, { json: { record: { data } } });
    await change({ title: "Two", note: null });
    // With a subscriber, writes take another path.
    await server.sql`update dbs set live_until = now() + interval '1 hour' where id = ${db.id}`;
    await change({ note: "n".repeat(3_000) });
    await ask("DELETE", `${path}/records/${record.id}.json`);
    const rows = await entries(ask, `&object=record&object_id=${record.id}`);
    assert.deepEqual(rows.map(({ action, before, after }) => [action, before, after]), [
      ["delete", { title: "Two", note: { truncated: "n".repeat(1_000), characters: 3_000 } }, null],
      ["update", { note: null }, { note: { truncated: "n".repeat(1_000), characters: 3_000 } }],
      ["update", { title: "One" }, { title: "Two" }],
      ["create", null, null],
    ]);
    const operations = Array.from({ length: 50 }, () => ({ action: "create", record: { data: { title: "B" } } }));
    await ask("POST", `${path}/records/batch.json`, { json: { operations } });
    const raw = `title\n${"I\n".repeat(700)}`;
    await ask("POST", `${path}/import.csv`, { raw, headers: { "content-type": "text/csv" } });
    const summaries = await entries(ask, `&object=db&object_id=${db.id}`);
    assert.deepEqual(
      summaries.slice(0, 3).map((
        { action, after },
      ) => [action, after?.created, Array.isArray(after?.ids) && after.ids.length]),
      [["create", 200, 20], ["create", 500, 20], ["batch", 50, 0]],
    );
    const visited = await ask("POST", `/platform/db/${db.code}/create`, {
      token: null,
      json: { data: { title: "V" } },
    });
    assert.equal((await entries(ask, `&object=record&object_id=${visited.body?.id}`)).length, 0);
  },
);

onServer("audit: only admins read it, each its own account; filters, keyset pages and faults", async (stage) => {
  const { ask, server, play } = stage;
  const manager = await addPerson(ask, "manager");
  for (const name of ["A", "B", "C"]) await ask("POST", "/account/teams.json", { json: { team: { name } } });
  const all = await entries(ask);
  const teams = all.filter(({ object }) => object === "team");
  assert.deepEqual(teams.map(({ after }) => after?.name), ["C", "B", "A"]);
  assert.deepEqual(new Set(teams.map(({ user_name }) => user_name)), new Set(["Stranger"]));
  const [c, b, a] = teams.map(({ id }) => id);
  const ids = async (query: string) => (await entries(ask, query)).map(({ id }) => id);
  assert.deepEqual(await ids("&object=team"), [c, b, a]);
  assert.deepEqual(await ids(`&object=team&after=${c}`), [b, a]);
  assert.deepEqual(await ids(`&object=team&action=delete`), []);
  assert.deepEqual(await ids(`&action=create&user_id=${manager.id}`), []);
  assert.ok((await ids(`&action=create&user_id=${stage.admin.id}`)).includes(b ?? ""));
  const far = encodeURIComponent("2100-01-01T00:00:00+00:00");
  assert.deepEqual(await ids(`&from=${far}`), []);
  assert.equal((await ids(`&to=${far}`)).length, all.length);
  const stranger = as(ask, (await addAccount(server)).token);
  assert.ok(!(await entries(stranger)).some(({ id }) => all.some((entry) => entry.id === id)));
  await play([
    { name: "a manager", method: "GET", path: "/account/audit.json", sent: { token: manager.token }, status: 403 },
    { name: "no login", method: "GET", path: "/account/audit.json", sent: { token: null }, status: 401 },
    { name: "an id alone", method: "GET", path: "/account/audit.json?object_id=1", status: 400 },
    {
      name: "no time",
      method: "GET",
      path: "/account/audit.json?from=yesterday",
      status: 400,
      body: { error: "from must be an ISO 8601 date and time with offset, such as 2026-11-21T08:30:00Z" },
    },
    {
      name: "a time as answers have it, its plus sign not escaped",
      method: "GET",
      path: "/account/audit.json?from=2026-11-21T00:00:00.000+00:00",
      status: 200,
    },
  ]);
});

onServer("audit: entries of one moment keep the order in which they were written", async ({ server }) => {
  const rows = await server.sql<{ object_id: string }[]>`
    with written as (
      insert into audit_entries (account_id, action, object, object_id, actor)
      select 999998, 'create', 'team', n::text, '{}' from generate_series(1, 3000) n
      returning id, object_id
    )
    select object_id from written order by id
  `;
  assert.deepEqual(rows.map(({ object_id }) => Number(object_id)), Array.from({ length: 3_000 }, (_, n) => n + 1));
});

onServer("audit: a link to reset a password names its user, also where it replaces one", async ({ ask }) => {
  const { id } = await addPerson(ask, "user");
  for (const _ of [1, 2]) made(await ask("POST", `/account/user_settings/${id}/password_reset.json`, { json: {} }));
  const found = await entries(ask, `&object=password_reset&object_id=${id}`);
  assert.deepEqual(found.map(({ action }) => action), ["update", "create"]);
});

onServer("audit: the document names every object", async ({ server }) => {
  const watched = await server.sql<{ object: string }[]>`
    select distinct split_part(encode(tgargs, 'escape'), ${"\\000"}, 1) as object
    from pg_trigger
    where tgfoid = 'audit_change'::regproc
  `;
  const text = await Deno.readTextFile(new URL("../../../docs/audit.md", import.meta.url));
  const [, list = ""] = /^Objects are ([^.]+)\./m.exec(text) ?? [];
  const named = list.match(/\w+(?=`)/g)?.sort();
  assert.deepEqual(named, ["record", ...watched.map(({ object }) => object)].sort());
});

onServer("audit: sign-ins that fail name the user, never what was typed", async ({ ask }) => {
  const attempt = (login: string) =>
    ask("POST", "/account/session.json", { token: null, json: { session: { login, password: "canary-wrong" } } });
  await attempt("admin");
  await attempt("canary-typed-a-password");
  const [unknown, known] = await entries(ask, "&action=sign_in_failed");
  assert.deepEqual([unknown?.object_id, unknown?.via, known?.object_id], [null, "anonymous", "1"]);
  assert.doesNotMatch(JSON.stringify(await entries(ask)), /canary/);
}, of_default);

onServer(
  "audit: rows cannot be changed or deleted, and the sweep deletes those of more than 400 days",
  async ({ server, ask }) => {
    const { sql } = server;
    const [{ account_id } = { account_id: 0 }] = await sql<{ account_id: number }[]>`
    insert into audit_entries (account_id, id, action, object, actor)
    select 999999, (lpad(to_hex((extract(epoch from now() - make_interval(days => d)) * 1000)::bigint), 12, '0') || '7000800000000000' || lpad(d::text, 4, '0'))::uuid, 'create', 'team', '{}'
    from unnest(array[1, 399, 401, 900]) d
    returning account_id
  `;
    assert.ok(await ask("GET", "/account/audit.json"));
    const left = async () => (await sql`select from audit_entries where account_id = ${account_id}`).length;
    await assert.rejects(sql`update audit_entries set action = 'x'`, /only added to/);
    await assert.rejects(sql`delete from audit_entries where account_id = ${account_id}`, /only added to/);
    await assert.rejects(sql`truncate audit_entries`, /only added to/);
    await assert.rejects(
      sql.begin(async (tx) => {
        await tx`select set_config('atrium.audit_sweep', 'on', true)`;
        await tx`delete from audit_entries where account_id = ${account_id}`;
      }),
      /only added to/,
    );
    assert.equal(await left(), 4);
    await server.sweep();
    assert.equal(await left(), 2);
  },
);
