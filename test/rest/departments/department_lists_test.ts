/** Lists by department, and the department of a record whose creator names none. */
import assert from "node:assert/strict";
import { deleteDepartment } from "../../../server/domains/departments/queries.ts";
import { addPerson, made } from "../../stage/people.ts";
import { type Ask, inTurn, onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const RECORDS = "/platform/dbs/notes/records.json";

async function setScene(ask: Ask) {
  const department = async (name: string): Promise<number> =>
    made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
  const [d1, d2] = [await department("D1"), await department("D2")];
  const db = { name: "Notes", schema: { fields: { n: "integer" } }, department_id: d1 };
  made(await ask("POST", "/platform/dbs.json", { json: { db } }));
  return { d1, d2 };
}

inAccount("records: a restricted user with exactly one department creates records in it", async ({ ask }) => {
  const { d1, d2 } = await setScene(ask);
  const person = async (department_ids: number[], without_department: boolean) =>
    (await addPerson(ask, "user", { department_ids, without_department })).token;
  const ways: Record<string, (token: string, department?: number | null) => Promise<[number, unknown]>> = {
    async "a create"(token, department_id) {
      const { status, body } = await ask("POST", RECORDS, {
        token,
        json: { record: { data: { n: 1 }, department_id } },
      });
      return [status, status === 201 ? body.department_id : body];
    },
    async "a batch"(token, department_id) {
      const operations = [{ action: "create", record: { data: { n: 1 }, department_id } }];
      const { status, body } = await ask("POST", "/platform/dbs/notes/records/batch.json", {
        token,
        json: { operations },
      });
      if (status !== 200) return [status, { department_id: body["operations.0.record.department_id"] }];
      return [201, body[0].department_id];
    },
  };
  const refused = [422, { department_id: ["can't be blank: name one of your departments"] }];
  await inTurn(Object.entries(ways), async ([way, create]) => {
    assert.deepEqual(await create(await person([d1], false)), [201, d1], way);
    const one = await person([d1], true);
    assert.deepEqual(await create(one), [201, d1], way);
    assert.deepEqual(await create(one, null), [201, null], `${way}: none is possible where it is said`);
    assert.deepEqual(await create(await person([d1, d2], true)), [201, null], way);
    assert.deepEqual(await create(await person([d1, d2], false)), refused, way);
    const { token: admin } = await addPerson(ask, "admin", { department_ids: [d1] });
    assert.deepEqual(await create(admin), [201, null], `${way}: an admin is not restricted`);
  });
  const imported = await ask("POST", "/platform/dbs/notes/import.ndjson", {
    token: await person([d1], false),
    raw: '{"data":{"n":7}}\n',
    headers: { "content-type": "application/x-ndjson" },
  });
  assert.deepEqual([imported.status, imported.body.created], [200, 1]);
  const [seven] = (await ask("GET", `${RECORDS}?filter[n]=7`)).body;
  assert.equal(seven.department_id, d1);
  await ask("PATCH", "/account.json", { json: { account: { departments: { mode: "open" } } } });
  assert.deepEqual(await ways["a create"]?.(await person([d1], false)), [201, null], "nobody is restricted");
});

inAccount(
  "lists: department_id selects a department, blank what has none, in every list that has it",
  async ({ ask, play }) => {
    const { d1, d2 } = await setScene(ask);
    await inTurn([d1, d2, null], async (department_id) => {
      const name = `In ${department_id}`;
      const post = async (path: string, json: unknown) => made(await ask("POST", path, { json }));
      await post("/platform/apps.json", { app: { name, app_engine: "html", source_code: "<p>", department_id } });
      await post("/connect/connectors.json", { connector: { name, url: "https://api.example.com", department_id } });
      const flow = await post("/connect/flows.json", { flow: { name, department_id } });
      await ask("POST", `/connect/flows/${flow.id}/run.json`, { json: {} });
      await post("/account/crons.json", { cron: { target_code: flow.code, schedule: "0 0 1 1 *", department_id } });
      await post(RECORDS, { record: { data: { n: 1 }, department_id } });
      await post("/platform/dbs.json", { db: { name, department_id } });
    });
    const lists: [path: string, of_d1: number][] = [
      ["/platform/apps.json", 1],
      ["/connect/connectors.json", 1],
      ["/connect/flows.json", 1],
      ["/connect/flow_processes.json", 1],
      ["/account/crons.json", 1],
      ["/platform/dbs.json", 2],
      [RECORDS, 1],
    ];
    const user = await addPerson(ask, "user", { department_ids: [d1], without_department: false });
    await inTurn(lists, async ([path, of_d1]) => {
      const listed = async (query: string, token?: string) => {
        const { status, body } = await ask("GET", `${path}?${query}`, token === undefined ? {} : { token });
        return status === 200
          ? body.map(({ department_id }: { department_id: number | null }) => department_id)
          : status;
      };
      assert.deepEqual(await listed(`department_id=${d1}`), Array(of_d1).fill(d1), path);
      assert.deepEqual(await listed(`department_id=${d2}`), [d2], path);
      assert.deepEqual(await listed("department_id="), [null], path);
      assert.deepEqual(await listed(`department_id=${d2}`, user.token), [], `${path}: another's department is empty`);
      assert.deepEqual(await listed("department_id="), [null], path);
      assert.equal(await listed("department_id=x"), 400, path);
      assert.equal(await listed("departmentid=1"), 400, `${path}: a typo`);
    });
    const found = await ask("GET", `/platform/dbs/notes/search.json?department_id=${d2}`);
    assert.equal(found.body.length, 1);
    await play(["shop", "tasks/"].map((value) => ({
      name: `show_in_module=${value}`,
      method: "GET",
      path: `/platform/apps.json?show_in_module=${value}`,
      status: 400,
    })));
    assert.deepEqual((await ask("GET", "/platform/apps.json?show_in_module=tasks/show")).body, []);
  },
);

inAccount("departments: q finds by name, shortcut and e-mail address", async ({ ask }) => {
  const add = async (department: Record<string, unknown>) =>
    made(await ask("POST", "/account/departments.json", { json: { department } }));
  await add({ name: "Żywiec Sales", shortcut: "zs" });
  await add({ name: "Workshop", shortcut: "50%", email: "Sales.Desk@example.com" });
  await add({ name: "Office" });
  const named = async (q: string) => {
    const { body, headers } = await ask("GET", `/account/departments.json?q=${encodeURIComponent(q)}`);
    return [headers.get("x-total-count"), ...body.map(({ name }: { name: string }) => name)];
  };
  assert.deepEqual(await named("sales"), ["2", "Workshop", "Żywiec Sales"]);
  assert.deepEqual(await named("ŻYW"), ["1", "Żywiec Sales"]);
  assert.deepEqual(await named("%"), ["1", "Workshop"]);
  assert.deepEqual(await named("nothing"), ["0"]);
});

inAccount("departments: usage counts what a deletion touches, as far as the caller sees it", async ({ ask }) => {
  const { d1, d2 } = await setScene(ask);
  const path = `/account/departments/${d1}/usage.json`;
  await addPerson(ask, "user", { department_ids: [d1] });
  await addPerson(ask, "user", { department_ids: [d1, d2] });
  const stranger = await addPerson(ask, "manager", { department_ids: [d2] });
  const colleague = await addPerson(ask, "manager", { department_ids: [d1, d2] });
  const mailbox = made(await ask("POST", "/account/mailboxes.json", { json: { mailbox: { name: "Box" } } }));
  await ask("PATCH", `/account/departments/${d1}.json`, { json: { department: { mailbox_ids: [mailbox.id] } } });
  made(await ask("POST", RECORDS, { json: { record: { data: { n: 1 }, department_id: d1 } } }));
  const app = { name: "A", app_engine: "html", source_code: "<p>", department_id: d1 };
  made(await ask("POST", "/platform/apps.json", { json: { app } }));
  const nothing = { apps: 0, dbs: 0, records: 0, connectors: 0, flows: 0, flow_processes: 0, crons: 0 };
  const people = { users: 3, users_of_no_other: 1, mailboxes: 1, invitations: 0, next_main: { id: d2, name: "D2" } };
  const usage = async (token?: string) => (await ask("GET", path, { token })).body;
  assert.deepEqual(await usage(), { ...people, ...nothing, apps: 1, dbs: 1, records: 1 });
  assert.deepEqual(await usage(colleague.token), { ...people, ...nothing, apps: 1, dbs: 1, records: 1 });
  assert.deepEqual(await usage(stranger.token), { ...people, ...nothing });
  assert.equal((await ask("GET", `/account/departments/${d2}/usage.json`)).body.next_main, null);
  assert.equal((await ask("GET", "/account/departments/99999999/usage.json")).status, 404);
});

inAccount("departments: a deletion goes over many records in several statements of one transaction", async (stage) => {
  const { ask, server: { sql } } = stage;
  const { body: { id: account } } = await ask("GET", "/account.json");
  const { d1 } = await setScene(ask);
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) {
    ids.push(made(await ask("POST", RECORDS, { json: { record: { data: { n }, department_id: d1 } } })).id);
  }
  const counts: number[] = [];
  await sql.begin(async (tx) => {
    const counting = new Proxy(tx, {
      async apply(target, self, given) {
        const rows = await Reflect.apply(target, self, given);
        if (typeof rows[0]?.count === "number") counts.push(rows[0].count);
        return rows;
      },
    });
    assert.equal(await deleteDepartment(counting, account, d1, 2), true);
  });
  assert.deepEqual(counts, [2, 2, 1]);
  for (const id of ids) {
    assert.equal((await ask("GET", `/platform/dbs/notes/records/${id}.json`)).body.department_id, null);
    const { body: [last] } = await ask("GET", `/platform/dbs/notes/records/${id}/history.json`);
    assert.equal(last.action, "update");
  }
});
