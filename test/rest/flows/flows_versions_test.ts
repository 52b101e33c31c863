/** Earlier versions of flows. */
import assert from "node:assert/strict";
import { addPerson, made } from "../../stage/people.ts";
import { type Ask, onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const at = (id: number, rest = "") => `/connect/flows/${id}${rest}.json`;
const returning = (data: unknown) => ({ program: [{ type: "return", data }] });
const addFlow = async (ask: Ask, flow: Record<string, unknown>) =>
  made(await ask("POST", "/connect/flows.json", { json: { flow } }));

inAccount("versions: earlier programs are listed, read, compared and restored", async ({ ask, play, admin }) => {
  const { id } = await addFlow(ask, { name: "Watch", fields: returning({ 10: "b", 9: "a" }) });
  const manager = await addPerson(ask, "manager");
  const user = await addPerson(ask, "user");
  await ask("PATCH", at(id), { token: manager.token, json: { flow: { fields: returning(2), runs_as: "caller" } } });
  await ask("PATCH", at(id), { json: { flow: { name: "Renamed" } } });
  await ask("PATCH", at(id), { json: { flow: { fields: returning(3) } } });
  const other = await addFlow(ask, { name: "Other" });
  await play([
    {
      name: "list: newest first, without the present one and without programs",
      method: "GET",
      path: at(id, "/versions"),
      status: 200,
      headers: { "x-total-count": "2" },
      body: [
        { version: 2, author_id: manager.id, runs_as: "caller", program: undefined },
        { version: 1, author_id: admin.id, runs_as: "author", program: undefined },
      ],
    },
    {
      name: "list: oldest first, by page, for a user",
      method: "GET",
      path: `${at(id, "/versions")}?sort=version&per_page=1`,
      sent: { token: user.token },
      status: 200,
      body: [{ version: 1 }],
    },
    {
      name: "read: the program as it was written",
      method: "GET",
      path: at(id, "/versions/1"),
      status: 200,
      body: { version: 1, replaced_at: /^\d/, ...returning({ 10: "b", 9: "a" }) },
    },
    {
      name: "diff: both programs, the older one first; the present one by default",
      method: "GET",
      path: at(id, "/versions/2/diff"),
      status: 200,
      body: { before: { version: 2, ...returning(2) }, after: { version: 3, replaced_at: null, ...returning(3) } },
    },
    {
      name: "diff: against another one",
      method: "GET",
      path: `${at(id, "/versions/2/diff")}?against=1`,
      status: 200,
      body: { before: { version: 1 }, after: { version: 2 } },
    },
    { name: "diff: 404", method: "GET", path: `${at(id, "/versions/2/diff")}?against=9`, status: 404 },
    { name: "read: 404", method: "GET", path: at(id, "/versions/9"), status: 404 },
    { name: "restore: 404", method: "POST", path: at(id, "/versions/9/restore"), status: 404 },
    { name: "versions of another flow", method: "GET", path: at(other.id, "/versions"), status: 200, body: [] },
    {
      name: "restore: 403 for users",
      method: "POST",
      path: at(id, "/versions/2/restore"),
      sent: { token: user.token },
      status: 403,
    },
    {
      name: "restore: 200 with the program and runs_as of then; its name stays",
      method: "POST",
      path: at(id, "/versions/2/restore"),
      status: 200,
      body: { name: "Renamed", version: 4, author_id: admin.id, runs_as: "caller", fields: returning(2) },
    },
    {
      name: "restore: the replaced program comes back",
      method: "POST",
      path: at(id, "/versions/3/restore"),
      status: 200,
      body: { version: 5, fields: returning(3) },
    },
  ]);
});

inAccount("versions: a program that may not be written any more is not restored", async ({ ask, server: { sql } }) => {
  const { id } = await addFlow(ask, { name: "Old", fields: returning(1) });
  await ask("PATCH", at(id), { json: { flow: { fields: returning(2) } } });
  await sql`update flow_versions set program = '[{"type": "retrn"}]' where flow_id = ${id} and version = 1`;
  const { status, body } = await ask("POST", at(id, "/versions/1/restore"));
  assert.deepEqual([status, Object.keys(body)], [422, ["fields.program.0.type"]]);
  // An account is restricted with its second department.
  const addDepartment = async (name: string) =>
    made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
  const [department] = [await addDepartment("D1"), await addDepartment("D2")];
  const limited = await addPerson(ask, "manager", { department_ids: [department], without_department: false });
  const names = [{ type: "record", action: "list", db_code: "later" }];
  await ask("PATCH", at(id), { json: { flow: { department_id: department } } });
  await ask("PATCH", at(id), { json: { flow: { fields: { program: names } } } });
  await ask("PATCH", at(id), { json: { flow: { fields: returning(4) } } });
  const refused = await ask("POST", at(id, "/versions/3/restore"), { token: limited.token });
  assert.deepEqual([refused.status, Object.keys(refused.body)], [422, ["fields.program.0.db_code"]]);
});

inAccount("versions: the newest 100 are kept", async ({ ask, server }) => {
  const { sql } = server;
  const { id } = await addFlow(ask, { name: "Busy", fields: returning(0) });
  await sql`update flows set version = 101 where id = ${id}`;
  await sql`
    insert into flow_versions (account_id, flow_id, version, runs_as, program, replaced_at)
    select v.account_id, v.flow_id, n, 'author', v.program, case when n < 101 then now() - interval '90 days' end
    from flow_versions v, generate_series(2, 101) n
    where v.flow_id = ${id}
  `;
  await sql`update flow_versions set replaced_at = now() - interval '90 days' where flow_id = ${id} and version = 1`;
  const list = async () => {
    const { body } = await ask("GET", `${at(id, "/versions")}?sort=version`);
    return [body.length, body[0].version];
  };
  await server.sweep();
  assert.deepEqual(await list(), [100, 1], "those that a flow keeps have no age");
  const { body } = await ask("PATCH", at(id), { json: { flow: { fields: returning(1) } } });
  assert.equal(body.version, 102);
  assert.deepEqual(await list(), [100, 2]);
  assert.equal((await ask("GET", at(id, "/versions/1"))).status, 404);
  await server.sweep();
  const left = async () => (await sql`select from flow_versions where flow_id = ${id} and version = 1`).length;
  assert.equal(await left(), 1, "its runs can be inspected");
  await sql`update flow_versions set dropped_at = now() - interval '16 days' where flow_id = ${id} and version = 1`;
  await server.sweep();
  assert.equal(await left(), 0);
});
