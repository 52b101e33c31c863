/** "Who can see this?": the answers are compared with what each user receives over REST. */
import assert from "node:assert/strict";
import fc from "../../packages/fast_check.ts";
import { NO_UUID } from "../../stage/addresses.ts";
import { serveApi } from "../../stage/egress/outside.ts";
import type { Answer, TestServer } from "../../stage/harness.ts";
import { addAccount, addPerson, as, made, type Person, type Role, ROLES } from "../../stage/people.ts";
import { type Ask, inTurn, onSharedServer } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";

const released = Promise.withResolvers<void>();
const api = serveApi(async () => void await released.promise);
Deno.test.afterAll(async () => {
  released.resolve();
  await api[Symbol.asyncDispose]();
});
const inAccount = onSharedServer({ EGRESS_ALLOW: `127.0.0.1:${api.port}` });

const ACCESS = "/account/access.json";

interface Entry {
  type: string;
  id: string;
  user: { id: number; role: Role } | null;
  sees: boolean;
  changes: boolean;
  rule: string;
}

/** Every page of a list of access. */
async function everyPage(ask: Ask, query: Record<string, string | number>): Promise<Entry[]> {
  const entries: Entry[] = [];
  let path: string | undefined = `${ACCESS}?${new URLSearchParams(
    Object.entries(query).map(([key, value]) => [key, `${value}`]),
  )}`;
  while (path !== undefined) {
    const { status, body, headers }: Answer = await ask("GET", path);
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
    if (query.per_page !== undefined) assert.ok(body.length <= Number(query.per_page), path);
    entries.push(...body);
    path = /^<http:\/\/atrium\.test(\/[^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];
  }
  return entries;
}

/** A role, its departments by index, and whether the user sees objects without one. */
const anyUser = fc.record({
  role: fc.constantFrom(...ROLES),
  departments: fc.uniqueArray(fc.nat(2), { maxLength: 2 }),
  without_department: fc.boolean(),
  active: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
});
/** The index of a department; 3 is none. */
const anyDepartment = fc.nat(3);
const METHODS = ["list", "update"] as const;
const anyWorld = fc.record({
  mode: fc.oneof({ weight: 3, arbitrary: fc.constant("restricted") }, fc.constant("open")),
  users: fc.array(anyUser, { minLength: 4, maxLength: 5 }),
  apps: fc.array(
    fc.record({ department: anyDepartment, public: fc.boolean(), active: fc.boolean(), action_public: fc.boolean() }),
    { minLength: 2, maxLength: 2 },
  ),
  dbs: fc.array(
    fc.record({
      department: anyDepartment,
      records: fc.array(anyDepartment, { maxLength: 2 }),
      open: fc.subarray([...METHODS]),
      /** Of the open methods, those that are for members only. */
      members: fc.subarray([...METHODS]),
    }),
    { minLength: 2, maxLength: 2 },
  ),
  others: fc.tuple(anyDepartment, anyDepartment, anyDepartment),
});

/** An object, and the requests that show whether a caller sees and changes it. */
interface Thing {
  type: string;
  id: string;
  sees(send: Send): Promise<boolean>;
  changes(send: Send): Promise<boolean>;
}
type Send = (method: "GET" | "POST" | "PATCH", path: string, json?: unknown) => Promise<Answer>;

const isOk = async (answer: Promise<Answer>) => (await answer).status === 200;

async function makeThings(
  ask: Ask,
  world: ReturnType<typeof anyWorld.generate>["value"],
  departments: (number | null)[],
) {
  const at = (index: number) => departments[index] ?? null;
  const post = async (path: string, json: unknown) => made(await ask("POST", path, { json }));
  const things: Thing[] = [];
  const add = (type: string, id: string | number, read: string, wrapper: string) =>
    things.push({
      type,
      id: `${id}`,
      sees: (send) => isOk(send("GET", read)),
      changes: (send) => isOk(send("PATCH", read, { [wrapper]: {} })),
    });
  const flow = await post("/connect/flows.json", {
    flow: { name: "Flow", department_id: at(world.others[0]), fields: { program: [] } },
  });
  add("flow", flow.id, `/connect/flows/${flow.id}.json`, "flow");
  const { body: run } = await ask("POST", `/connect/flows/${flow.id}/run.json`, { json: {} });
  const of_run = `/connect/flow_processes/${run.flow_process_id}`;
  things.push({
    type: "run",
    id: run.flow_process_id,
    sees: (send) => isOk(send("GET", `${of_run}.json`)),
    // The run has ended, which only those who may cancel it are told.
    changes: async (send) => (await send("POST", `${of_run}/cancel.json`)).status === 409,
  });
  const connector = await post("/connect/connectors.json", {
    connector: { name: "Api", url: "https://api.example.com", department_id: at(world.others[1]) },
  });
  add("connector", connector.id, `/connect/connectors/${connector.id}.json`, "connector");
  const cron = await post("/account/crons.json", {
    cron: { target_code: flow.code, schedule: "0 0 1 1 *", department_id: at(world.others[2]) },
  });
  add("cron", cron.id, `/account/crons/${cron.id}.json`, "cron");
  await inTurn(world.apps, async ({ department, action_public, ...fields }, index) => {
    const actions = [{ action: "go", flow_code: flow.code, public: action_public }];
    const app = {
      name: `App ${index}`,
      app_engine: "html",
      source_code: "<p>",
      department_id: at(department),
      actions,
    };
    const { id } = await post("/platform/apps.json", { app: { ...app, ...fields } });
    const path = `/platform/apps/${id}`;
    const changes = (send: Send) => isOk(send("PATCH", `${path}.json`, { app: {} }));
    const opens = async (send: Send) => await isOk(send("GET", `/a/${id}`)) || await isOk(send("GET", `${path}.json`));
    things.push({ type: "app", id, sees: opens, changes });
    things.push({
      type: "action",
      id: `${id}/go`,
      sees: (send) => isOk(send("POST", `${path}/action/go`, {})),
      changes,
    });
  });
  await inTurn(world.dbs, async ({ department, records, open, members }, index) => {
    const schema = { fields: { n: "integer" } };
    const public_methods = Object.fromEntries(
      open.map((method) => [method, members.includes(method) ? { members_only: true } : {}]),
    );
    const db = { name: `Db ${index}`, schema, public_methods, department_id: at(department) };
    const { code } = await post("/platform/dbs.json", { db });
    const ids: string[] = [];
    await inTurn(records, async (index) => {
      const record = { data: {}, department_id: at(index) };
      ids.push((await post(`/platform/dbs/${code}/records.json`, { record })).id);
    });
    const path = `/platform/dbs/${code}`;
    const list = (send: Send) => send("POST", `/platform/db/${code}/list`, {});
    // 404 names a missing record to callers for whom the method is enabled; a given record is changed without a change.
    const writes = async (send: Send) => {
      const { status, body } = await send("POST", `/platform/db/${code}/update`, { id: NO_UUID, data: {} });
      // A method for members changes records, which is no change of the database.
      return status === 404 && /record/i.test(body.error) && !members.includes("update");
    };
    things.push({
      type: "db",
      id: code,
      sees: async (send) => await isOk(list(send)) || await isOk(send("GET", `${path}.json`)),
      changes: async (send) => await writes(send) || await isOk(send("PATCH", `${path}.json`, { db: {} })),
    });
    for (const id of ids) {
      const record = `${path}/records/${id}.json`;
      things.push({
        type: "record",
        id,
        sees: async (send) => {
          const { status, body } = await list(send);
          const is_listed = status === 200 && body.some((one: { id: string }) => one.id === id);
          return is_listed || await isOk(send("GET", record));
        },
        changes: async (send) =>
          await isOk(send("POST", `/platform/db/${code}/update`, { id, data: {} })) ||
          await isOk(send("PATCH", record, { record: { data: {} } })),
      });
    }
  });
  return things;
}

/** A visitor of the account that the host names. */
const visitorAt = ({ handler }: TestServer, host: string): Send => async (method, path, json) => {
  const response = await handler(
    new Request(`http://${host}${path}`, {
      method,
      ...json !== undefined && { body: JSON.stringify(json), headers: { "content-type": "application/json" } },
    }),
  );
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: response.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : text,
  };
};

inAccount(
  "access: each user sees and changes exactly what the lists say, and so does everyone",
  async ({ server, ask: outer }) => {
    let rows = 0;
    const check = async (world: ReturnType<typeof anyWorld.generate>["value"]) => {
      const host = `h${crypto.randomUUID().slice(0, 8)}.test`;
      const { token } = await addAccount(server, host);
      const ask = as(outer, token);
      const departments: (number | null)[] = [];
      await inTurn(["A", "B", "C"], async (name) => {
        departments.push(made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id);
      });
      const things = await makeThings(ask, world, [...departments, null]);
      const people: Person[] = [];
      await inTurn(world.users, async ({ role, departments: own, without_department, active }) => {
        const department_ids = own.map((index) => departments[index]);
        const person = await addPerson(ask, role, { department_ids, without_department });
        if (!active) {
          const json = { user_setting: { active } };
          assert.equal((await ask("PATCH", `/account/user_settings/${person.id}.json`, { json })).status, 200);
        }
        people.push(person);
      });
      const json = { account: { departments: { mode: world.mode } } };
      assert.equal((await ask("PATCH", "/account.json", { json })).status, 200);

      const lists = new Map<number, Entry[]>();
      await inTurn(people, async ({ id }) => {
        lists.set(id, await everyPage(ask, { user_id: id, per_page: 2 }));
      });
      await inTurn(things, async (thing) => {
        const { type, id } = thing;
        const entries = await everyPage(ask, { type, id, per_page: 2 });
        const everyone = entries.find(({ user }) => user === null);
        const visitor = visitorAt(server, host);
        const open = [await thing.sees(visitor), await thing.changes(visitor)];
        assert.deepEqual([everyone?.sees ?? false, everyone?.changes ?? false], open, `${type} for visitors`);
        await inTurn(people, async (person) => {
          const who = world.users[people.indexOf(person)];
          const what = `${type} for ${JSON.stringify(who)} in ${JSON.stringify(world)}`;
          const send: Send = (method, path, json) =>
            outer(method, path, { token: person.token, ...json !== undefined && { json } });
          const does = [await thing.sees(send), await thing.changes(send)];
          const entry = entries.find(({ user }) => user?.id === person.id);
          if (!who?.active) {
            // The token of an inactive user is refused, except that a public app opens for everyone.
            if (type !== "app") assert.deepEqual(does, [false, false], what);
            return assert.deepEqual([entry, lists.get(person.id)], [undefined, []], what);
          }
          const [sees_open, changes_open] = open;
          assert.deepEqual([entry?.sees || sees_open, entry?.changes || changes_open].map(Boolean), does, what);
          const [listed, ...more] = (lists.get(person.id) ?? []).filter((entry) =>
            entry.type === type && entry.id === id
          );
          assert.deepEqual(more, [], `${what}: listed twice`);
          assert.deepEqual(
            [listed?.sees ?? false, (listed?.changes ?? false) || changes_open],
            does,
            `${what}: its list`,
          );
          if (entry) assert.equal(listed?.rule, entry.rule, what);
          rows++;
        });
      });
    };
    const { failed, seed, errorInstance } = await fc.check(
      fc.asyncProperty(anyWorld, check),
      { numRuns: 5, endOnFailure: true },
    );
    assert.ok(!failed, `seed ${seed}: ${errorInstance instanceof Error ? errorInstance.message : errorInstance}`);
    assert.ok(rows > 100, `${rows} pairs were compared`);
  },
);

inAccount("access: rules in one sentence, runs in flight, and who may ask", async ({ server, ask, play }) => {
  const post = async (path: string, json: unknown) => made(await ask("POST", path, { json }));
  const departments: number[] = [];
  await inTurn(["Sales", "Stock"], async (name) => {
    departments.push((await post("/account/departments.json", { department: { name } })).id);
  });
  const [sales = 0, stock = 0] = departments;
  const seller = await addPerson(ask, "user", { department_ids: [sales], without_department: true });
  const manager = await addPerson(ask, "manager", { department_ids: [stock], without_department: false });
  const schema = { fields: { n: "integer" } };
  const db =
    (await post("/platform/dbs.json", { db: { name: "Open", schema, public_methods: { list: {}, create: {} } } })).code;
  const sold = (await post(`/platform/dbs/${db}/records.json`, { record: { data: {}, department_id: sales } })).id;
  const methods = { m: { method: "GET", path: "/x" } };
  const connector = await post("/connect/connectors.json", {
    connector: { name: "Api", url: api.url, fields: { methods } },
  });
  const program = [{ type: "connector", connector_code: connector.code, method: "m" }];
  const flow = await post("/connect/flows.json", {
    flow: { name: "Waits", department_id: sales, fields: { program } },
  });
  const running = ask("POST", `/connect/flows/${flow.id}/run.json`, { json: {} });
  await until(() => api.busy() === 1, "the run calls");
  const { body: [run] } = await ask("GET", "/connect/flow_processes.json");
  const rule = (text: string, more: Record<string, unknown> = {}) => ({ rule: text, ...more });
  const of = (type: string, id: string | number) => `${ACCESS}?type=${type}&id=${id}`;
  const asking = (path: string, status: number, token?: string) => ({
    method: "GET" as const,
    path: path.startsWith("?") ? ACCESS + path : path,
    status,
    sent: token === undefined ? {} : { token },
  });
  const member = "member of department Sales";
  const lacks = "has no department: needs without_department while the account is restricted";
  await play([
    {
      name: "a database without a department",
      ...asking(of("db", db), 200),
      body: [
        { user: null, sees: true, changes: true, rule: "everyone, without login: public methods create, list" },
        { user: { role: "admin" }, sees: true, changes: true, rule: "admin" },
        { user: { id: seller.id }, sees: true, changes: false, rule: `${lacks}; changing it needs the role manager` },
      ],
    },
    {
      name: "a record: the department of its database counts, too",
      ...asking(of("record", sold), 200),
      body: [
        { user: null, sees: true, changes: false, rule: "everyone, without login: public methods list" },
        rule("admin"),
        rule(`database: ${lacks}; record: ${member}`, { changes: true }),
      ],
    },
    {
      name: "a run in flight",
      ...asking(of("run", run.id), 200),
      body: [rule("admin"), rule(member, { changes: true })],
    },
    {
      name: "what a user reaches, a run in flight included",
      ...asking(`?user_id=${seller.id}&type=run`, 200),
      body: [{ type: "run", id: run.id, name: flow.code }],
    },
    {
      name: "one user and one object",
      ...asking(`${of("flow", flow.id)}&user_id=${manager.id}`, 200),
      body: [],
    },
    { name: "a manager may ask about what it sees", ...asking(of("flow", flow.id), 404, manager.token) },
    {
      name: "and about what others see of that",
      ...asking(`?user_id=${seller.id}`, 200, manager.token),
      body: [],
    },
    { name: "a user may not ask", ...asking(of("db", db), 403, seller.token) },
    { name: "a user of another account", ...asking(`?user_id=${(await addAccount(server)).id}`, 404) },
    {
      name: "neither an object nor a user: the caller",
      ...asking("?type=flow", 200),
      body: [{ id: `${flow.id}`, user: { role: "admin" }, ...rule("admin") }],
    },
    { name: "an id without a type", ...asking("?id=1", 400) },
    ...["app", "action", "db", "connector", "flow", "cron", "run", "record"].flatMap((type) => [
      { name: `no ${type}: x y`, ...asking(of(type, "x y"), 404) },
      { name: `no ${type}: a UUID`, ...asking(of(type, type === "action" ? `${NO_UUID}/go` : NO_UUID), 404) },
      { name: `no ${type}: a number`, ...asking(of(type, 999_999), 404) },
      { name: `after, ${type}`, ...asking(`?user_id=${seller.id}&after=${type}:x%20y`, 400) },
    ]),
    { name: "after, of no type", ...asking(`?user_id=${seller.id}&after=x`, 400) },
    { name: "after, of a list of users", ...asking(`${of("db", db)}&after=x`, 400) },
  ]);
  await ask("PATCH", "/account.json", { json: { account: { departments: { mode: "open" } } } });
  const { body } = await ask("GET", of("flow", flow.id));
  const open = "visibility is not restricted in the account";
  assert.deepEqual(body.map(({ rule }: Entry) => rule), ["admin", `${open}; changing it needs the role manager`, open]);
  released.resolve();
  await running;
});
