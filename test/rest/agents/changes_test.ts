/** What agents change: an app built, broken and repaired; rehearsals; confirmations; the audit log. */
import assert from "node:assert/strict";
import fc from "../../packages/fast_check.ts";
import { answer, connectAgent } from "../../stage/agents/agent.ts";
import { addPerson, made, restrictTo } from "../../stage/people.ts";
import { onSharedServer } from "../../stage/scenario.ts";

const onServer = onSharedServer();

const SOURCE = `<script>
  import { action, db } from "platform";
  let entries = $state([]);
  const load = async () => entries = await db("guest_book").list();
  load();
</script>

<button onclick={() => action("count", {})}>Count</button>
<ul>{#each entries as entry (entry.id)}<li>{entry.message}</li>{/each}</ul>
`;

const COUNT = [
  { type: "record", id: "found", operation: "search", db_code: "guest_book" },
  { type: "return", data: { hello: "{input.name}" } },
];

onServer("agents: a script builds an app with a database and a flow, breaks it and repairs it", async (stage) => {
  const { server, ask, admin } = stage;
  const agent = await connectAgent(server, admin.token, "builder");
  const { call, refused } = agent;
  const schema = { fields: { message: "text", author: "string" }, indexes: { idx_str_1: "author" } };
  const db = { kind: "db", value: { name: "Guest book", schema, public_methods: { list: {}, create: {} } } };
  assert.deepEqual(await call("create", { ...db, dry_run: true }), { dry_run: true, passes: true });
  assert.equal((await call("search", { kind: "db" })).total, 0, "a rehearsal saves nothing");
  assert.equal((await call("create", db)).code, "guest_book");
  assert.equal((await refused("create", { ...db, dry_run: true })).code?.[0], "has already been taken");
  const { ids } = await call("create", {
    kind: "record",
    db_code: "guest_book",
    records: [{ message: "One" }, { message: "Two" }],
  });
  assert.equal(ids.length, 2);

  const value = { name: "Count", fields: { program: COUNT.slice(1) } };
  const unknown = { kind: "flow", program: [{ type: "flow", id: "call", flow_code: "nobody" }] };
  const warnings = { "fields.program.0.flow_code": ["names the flow nobody, which is not there"] };
  assert.deepEqual(await call("check", unknown), { errors: {}, warnings });
  const faulty = await call("check", { kind: "flow", program: [{ type: "if" }] });
  assert.deepEqual(Object.keys(faulty.errors), ["fields.program.0.condition", "fields.program.0.then"]);
  assert.deepEqual(
    await call("create", {
      kind: "flow",
      value: { name: "Calls", fields: { program: unknown.program } },
      dry_run: true,
    }),
    { dry_run: true, passes: true, warnings },
  );
  assert.equal((await refused("check", { kind: "flow" })).status, 422);
  const flow = await call("create", { kind: "flow", value });
  const bad = await refused("create", {
    kind: "flow",
    value: { name: "Bad", fields: { program: [{ type: "none" }] } },
    dry_run: true,
  });
  assert.match(JSON.stringify(bad), /fields\.program\.0/);
  const checked = await call("check", { kind: "flow", id: flow.id });
  assert.deepEqual(checked.errors, {});
  const dry = await call("run", { what: "flow", id: flow.id, input: { name: "Ada" }, dry_run: true });
  assert.deepEqual([dry.status, dry.data], ["finished", { hello: "Ada" }]);

  const actions = [{ action: "count", flow_code: "count" }];
  const app = await call("create", {
    kind: "app",
    value: { name: "Guests", source_code: SOURCE, actions, db_code: "guest_book" },
  });
  const ran = await call("run", { what: "action", id: app.id, action: "count", input: { name: "Grace" } });
  assert.deepEqual(ran.data, { hello: "Grace" });

  const broken = { id: app.id, edits: [{ old: "{#each entries as entry (entry.id)}", new: "{#each entries as}" }] };
  const rehearsed = await call("edit", { ...broken, dry_run: true });
  assert.equal(rehearsed.passes, false);
  assert.match(rehearsed.errors.source_code[0], /^9:/);
  assert.match(rehearsed.diff, /^-<ul>.*\n\+<ul>/m);
  assert.match((await refused("edit", broken)).source_code[0], /^9:/);
  const long = { id: app.id, edits: [{ old: "mesage", new: "x".repeat(200_001) }] };
  assert.match((await refused("edit", long))["edits.0.new"][0], /too long/);
  // It compiles, and does the wrong thing.
  const wrong = await call("edit", {
    id: app.id,
    edits: [{ old: "entry.message", new: "entry.mesage" }, { old: "Count<", new: "Count all<" }],
  });
  assert.equal(wrong.lock_version, 1);
  assert.equal(
    (await refused("edit", { id: app.id, lock_version: 0, edits: [{ old: "mesage", new: "message" }] })).status,
    409,
  );
  assert.equal((await call("check", { kind: "app", id: app.id })).compiles, true);
  const repaired = await call("edit", { id: app.id, edits: [{ old: "mesage", new: "message" }] });
  assert.equal(repaired.lock_version, 2);
  assert.match(
    (await refused("edit", { id: app.id, edits: [{ old: "Count", new: "C" }, { old: "nowhere", new: "" }] }))[
      "edits.1.old"
    ][0],
    /does not occur/,
  );
  const patched = await call("patch", { kind: "flow", id: flow.id, changes: { name: "Count guests" } });
  assert.match(patched.diff, /-Count\n\+Count guests/);
  const trigger = await call("create", { kind: "trigger", value: { target_code: "count", schedule: "0 9 * * *" } });
  assert.match(trigger.sentence, /09:00/);
  assert.equal(
    (await call("patch", { kind: "record", db_code: "guest_book", id: ids[0], changes: { message: "Uno" } })).patched,
    ids[0],
  );

  const { body } = await ask("GET", "/account/audit.json?per_page=500");
  const own = body.filter((entry: { agent: string | null }) => entry.agent === "builder");
  const objects = own.map(({ object, action }: { object: string; action: string }) => `${object} ${action}`);
  for (
    const entry of [
      "db create",
      "flow create",
      "app create",
      "app update",
      "flow update",
      "cron create",
      "record update",
    ]
  ) {
    assert.ok(objects.includes(entry), `${entry} in ${objects}`);
  }
  assert.ok(own.every((entry: { agent_session_id: string }) => entry.agent_session_id === agent.session));
  await agent.close();
});

onServer("agents: a deletion is of what was planned, and records that are hidden count as a loss", async (stage) => {
  const { server, ask, admin } = stage;
  const [red = 0, blue = 0] = await restrictTo(ask, "Red", "Blue");
  const agent = await connectAgent(server, admin.token);
  const { call, refused } = agent;
  const value = { name: "Shared", department_id: red, schema: { fields: { a: "string", b: "string" } } };
  const { code } = await call("create", { kind: "db", value });
  const add = async (a: string, department_id: number) => {
    const record = { data: { a, b: "1" }, department_id };
    return made(await ask("POST", `/platform/dbs/${code}/records.json`, { json: { record } })).id;
  };
  const id = await add("1", blue);
  const accepted = async (args: Record<string, unknown>) => {
    const { confirmation } = await call("delete", args);
    await answer(server, admin.id, confirmation, true);
    return { ...args, confirmation };
  };
  assert.deepEqual((await call("delete", { kind: "db", id: code })).plan.effects, ["1 record is deleted"]);
  const of_record = await accepted({ kind: "record", db_code: code, id });
  const record = { data: { a: "2" } };
  await ask("PATCH", `/platform/dbs/${code}/records/${id}.json`, { json: { record } });
  assert.equal((await refused("delete", of_record)).status, 409, "the record has changed");
  const of_db = await accepted({ kind: "db", id: code });
  await add("3", blue);
  assert.equal((await refused("delete", of_db)).status, 409, "another record is in it");

  const manager = await addPerson(ask, "manager", { department_ids: [red], without_department: false });
  const theirs = await connectAgent(server, manager.token);
  const strange = await refused("create", { kind: "record", db_code: code, records: [{ a: "4" }, { none: 1 }] });
  assert.match(JSON.stringify(strange), /"records\.1\.none"/);
  const renamed = await refused("patch", { kind: "record", db_code: code, id, changes: { none: 1 } });
  assert.match(JSON.stringify(renamed), /"changes\.none"/);
  const narrower = { kind: "db", id: code, changes: { schema: { fields: { a: "string" } } } };
  await add("5", red);
  assert.deepEqual((await theirs.call("delete", { kind: "db", id: code })).plan.effects, [
    "1 record and records that the caller does not see are deleted",
  ]);
  const { body: own } = await ask("GET", `/platform/dbs/${code}/records.json`, { token: manager.token });
  await ask("DELETE", `/platform/dbs/${code}/records/${own[0].id}.json`);
  const { status, plan } = await theirs.call("patch", narrower);
  assert.deepEqual([status, plan.effects], ["needs_confirmation", ["records that the caller does not see lose b"]]);
  await Promise.all([agent.close(), theirs.close()]);
});

onServer("agents: a call that loses data waits for a person, who accepts exactly this call once", async (stage) => {
  const { server, ask, admin } = stage;
  const agent = await connectAgent(server, admin.token, "cleaner");
  const { call, refused } = agent;
  await call("create", { kind: "db", value: { name: "Old", schema: { fields: { a: "string", b: "string" } } } });
  await call("create", { kind: "record", db_code: "old", records: [{ a: "1" }, { a: "2" }, { a: "3" }] });
  const deletion = { kind: "db", id: "old" };
  await ask("PATCH", "/account.json", { json: { account: { host: "cleaner.test" } } });
  const asked = await call("delete", deletion);
  assert.equal(asked.status, "needs_confirmation");
  assert.equal(asked.accept_at, "http://cleaner.test/account/agents", "where the account's members sign in");
  assert.deepEqual(asked.plan, { title: "Delete the database Old (old)", effects: ["3 records are deleted"] });
  assert.equal((await call("delete", deletion)).confirmation, asked.confirmation, "an open question is asked once");
  const confirmed = { ...deletion, confirmation: asked.confirmation };
  assert.equal((await call("delete", confirmed)).status, "waiting");
  const path = `/account/agent_confirmations/${asked.confirmation}.json`;
  assert.equal((await ask("POST", path, { json: { accept: true } })).status, 403, "a token confirms nothing");
  const manager = await addPerson(ask, "manager");
  assert.equal((await answer(server, manager.id, asked.confirmation, true)).status, 404, "another member");
  const { body: [listed] } = await ask("GET", "/account/agent_confirmations.json");
  assert.deepEqual([listed.agent, listed.title, listed.tool], ["cleaner", "Delete the database Old (old)", "delete"]);
  assert.equal((await answer(server, admin.id, asked.confirmation, true)).status, 200);
  assert.equal((await answer(server, admin.id, asked.confirmation, false)).status, 409, "the first answer counts");
  assert.equal((await refused("delete", { ...confirmed, force: true })).status, 404, "another call");
  const other = await connectAgent(server, manager.token);
  assert.equal((await other.refused("delete", confirmed)).status, 404, "another caller");
  assert.equal((await call("delete", confirmed)).status, "done");
  assert.equal((await refused("delete", confirmed)).status, 404, "the database is gone");

  const { code } = await call("create", {
    kind: "db",
    value: { name: "Kept", schema: { fields: { a: "string", b: "string" } } },
  });
  const { ids } = await call("create", { kind: "record", db_code: code, records: [{ a: "1" }, { a: "2" }] });
  const narrower = { kind: "db", id: code, changes: { schema: { fields: { a: "string" } } } };
  assert.deepEqual((await call("patch", { ...narrower, dry_run: true })).needs_confirmation, ["2 records lose b"]);
  const change = await call("patch", narrower);
  assert.deepEqual(change.plan.effects, ["2 records lose b"]);
  assert.equal((await answer(server, admin.id, change.confirmation, false)).body.accepted, false);
  assert.equal((await refused("patch", { ...narrower, confirmation: change.confirmation })).status, 403);
  const again = await call("patch", narrower);
  assert.notEqual(again.confirmation, change.confirmation);
  await answer(server, admin.id, again.confirmation, true);
  await call("patch", { kind: "db", id: code, changes: { name: "Renamed" } });
  assert.equal(
    (await refused("patch", { ...narrower, confirmation: again.confirmation })).status,
    409,
    "it has changed",
  );
  const gone = await call("delete", { kind: "record", db_code: code, ids });
  await answer(server, admin.id, gone.confirmation, true);
  await server.sql`update agent_confirmations set expires_at = now() where id = ${gone.confirmation}`;
  const late = { kind: "record", db_code: code, ids, confirmation: gone.confirmation };
  assert.equal((await refused("delete", late)).status, 409, "it has expired");
  await server
    .sql`update agent_confirmations set expires_at = now() + interval '1 minute' where id = ${gone.confirmation}`;
  const both = await Promise.allSettled([call("delete", late), call("delete", late)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"], "it is used once");
  await Promise.all([agent.close(), other.close()]);
});

onServer(
  "agents: what passes a rehearsal is saved, what does not is not, and a rehearsal saves nothing",
  async (stage) => {
    const { server, admin } = stage;
    const agent = await connectAgent(server, admin.token);
    const { call, close } = agent;
    const outcome = async (name: string, args: Record<string, unknown>) => {
      const { failed, value } = await agent.outcome(name, args);
      const { status: _status, ...faults } = failed ? value : value.errors ?? {};
      return failed || value.passes === false ? faults : "passes";
    };
    const snapshot = () =>
      server.sql`
      select
        (select json_agg(d order by d.id) from dbs d where account_id = a.id) as dbs,
        (select json_agg(f order by f.id) from flows f where account_id = a.id) as flows,
        (select json_agg(c order by c.id) from crons c where account_id = a.id) as crons,
        (select json_agg(r order by r.id) from records r join db_tables t on t.id = r.table_id join dbs d on d.id = t.db_id where d.account_id = a.id) as records
      from accounts a where id = (select account_id from users where id = ${admin.id})
    `;
    const name = fc.constantFrom("Alpha", "alpha", "Beta", "", "x".repeat(300));
    const fields = fc.dictionary(fc.constantFrom("a", "b", "1c"), fc.constantFrom("string", "integer", "none"), {
      maxKeys: 2,
    });
    const program = fc.array(
      fc.constantFrom(
        { type: "return", data: 1 },
        { type: "return", data: "{input.x}" },
        { type: "mutation", id: "m", values: { x: 1 } },
        { type: "none" },
      ),
      { maxLength: 2 },
    );
    const creation = fc.oneof(
      fc.record({ kind: fc.constant("db"), value: fc.record({ name, schema: fc.record({ fields }) }) }),
      fc.record({ kind: fc.constant("flow"), value: fc.record({ name, fields: fc.record({ program }) }) }),
      fc.record({
        kind: fc.constant("trigger"),
        value: fc.record({
          target_code: fc.constantFrom("alpha", "none"),
          schedule: fc.constantFrom("0 9 * * *", "x", null),
        }),
      }),
      fc.record({
        kind: fc.constant("record"),
        db_code: fc.constantFrom("alpha", "beta", "none"),
        records: fc.array(fields.map((data) => ({ ...data, a: 1 })), { minLength: 1, maxLength: 2 }),
      }),
    ).map((args) => ({ tool: "create", args }));
    const change = fc.oneof(
      fc.record({ kind: fc.constant("db"), id: fc.constantFrom("alpha", "beta"), changes: fc.record({ name }) }),
      fc.record({ kind: fc.constant("flow"), id: fc.integer({ min: 1, max: 9 }), changes: fc.record({ name }) }),
    ).map((args) => ({ tool: "patch", args }));
    await fc.assert(
      fc.asyncProperty(fc.oneof(creation, change), async ({ tool, args }) => {
        const before = JSON.stringify(await snapshot());
        const dry = await outcome(tool, { ...args, dry_run: true });
        assert.equal(JSON.stringify(await snapshot()), before);
        assert.deepEqual(await outcome(tool, args), dry, JSON.stringify(args));
      }),
      { numRuns: 60 },
    );
    const source_code = "<p>{name}</p>";
    const { id } = await call("create", { kind: "app", value: { name: "Edited", source_code } });
    const edit = fc.record({
      old: fc.constantFrom("<p>", "p", "{name}", "none"),
      new: fc.constantFrom("<p>{1}", "{", "<b></b>"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 2 }), async (edits) => {
        const dry = await outcome("edit", { id, edits, dry_run: true });
        assert.deepEqual(await outcome("edit", { id, edits }), dry);
      }),
      { numRuns: 8 },
    );
    await close();
  },
);
