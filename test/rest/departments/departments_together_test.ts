/** Reads and updates that arrive at the same moment share queries. No caller notices the others. */
import assert from "node:assert/strict";
import { lockAccount } from "../../../server/domains/account/queries.ts";
import { on_postgres } from "../../stage/harness.ts";
import { addAccount, addPerson, as, type Ask, made } from "../../stage/people.ts";
import { onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const ALL = "/account/departments.json";
const at = (id: number | string) => `/account/departments/${id}.json`;
const json = (department: Record<string, unknown>) => ({ json: { department } });

const create = async (ask: Ask, name: string): Promise<{ id: number; lock_version: number }> =>
  made(await ask("POST", ALL, json({ name })));

const createMany = (ask: Ask, count: number) =>
  Promise.all(Array.from({ length: count }, (_, i) => create(ask, `Department ${i}`)));

inAccount(
  "departments together: each read is answered with its own department, or with 404",
  async ({ ask, server }) => {
    const stranger = as(ask, (await addAccount(server)).token);
    const theirs = await create(stranger, "Theirs");
    const made_ids = (await createMany(ask, 30)).map(({ id }) => id);
    const ids = [...made_ids, ...made_ids, theirs.id, 2_000_000_000];
    const answers = await Promise.all([
      ...ids.map((id) => ask("GET", at(id))),
      ...ids.map((id) => stranger("GET", at(id))),
    ]);
    assert.deepEqual(
      answers.map(({ status, body }) => status === 200 ? body.id : status),
      [...made_ids, ...made_ids, 404, 404, ...made_ids.map(() => 404), ...made_ids.map(() => 404), theirs.id, 404],
    );
  },
);

inAccount("departments together: a read sees every update that was answered before it", async ({ ask }) => {
  const departments = await createMany(ask, 10);
  await Promise.all(departments.map(async ({ id }) => {
    for (const phone of ["1", "2", "3", "4", "5"]) {
      assert.equal((await ask("PATCH", at(id), json({ phone }))).body.phone, phone);
      assert.equal((await ask("GET", at(id))).body.phone, phone);
    }
  }));
});

inAccount(
  "departments together: each update has its own outcome, and its own author in the audit log",
  async (stage) => {
    const { ask, admin } = stage;
    const other = await addPerson(ask, "admin");
    const departments = await createMany(ask, 12);
    const [twin, stale, ...good] = departments;
    assert.ok(twin && stale);
    const callers = [admin, other];
    const answers = await Promise.all([
      ask("PATCH", at(twin.id), json({ name: "Department 5" })),
      ask("PATCH", at(stale.id), json({ phone: "late", lock_version: stale.lock_version + 1 })),
      ask("PATCH", at(2_000_000_000), json({ phone: "nobody" })),
      ...good.map(({ id, lock_version }, i) =>
        as(ask, callers[i % 2]?.token ?? "")("PATCH", at(id), json({ phone: `+${i}`, lock_version }))
      ),
    ]);
    assert.deepEqual(answers.map(({ status }) => status), [422, 409, 404, ...good.map(() => 200)]);
    assert.deepEqual(answers.slice(3).map(({ body: { id, phone, lock_version } }) => ({ id, phone, lock_version })), [
      ...good.map(({ id, lock_version }, i) => ({ id, phone: `+${i}`, lock_version: lock_version + 1 })),
    ]);
    const { body } = await ask("GET", "/account/audit.json?object=department&action=update&per_page=500");
    const entries = body as { object_id: string; user_id: number; via: string; request_id: string; after: unknown }[];
    assert.deepEqual(
      entries.map(({ object_id, user_id, via, after }) => ({ object_id, user_id, via, after }))
        .toSorted((a, b) => Number(a.object_id) - Number(b.object_id)),
      good.map(({ id }, i) => ({
        object_id: `${id}`,
        user_id: callers[i % 2]?.id,
        via: "token",
        after: { phone: `+${i}` },
      }))
        .toSorted((a, b) => Number(a.object_id) - Number(b.object_id)),
    );
    assert.equal(new Set(entries.map(({ request_id }) => request_id)).size, good.length, "each names its own request");
  },
);

inAccount("departments together: updates of one department follow each other, and none is lost", async ({ ask }) => {
  const { id, lock_version } = await create(ask, "Busy");
  const fields = ["phone", "email", "shortcut", "company_city", "company_bank", "company_name", "company_country"];
  const values = Object.fromEntries(fields.map((field) => [field, field === "email" ? "a@example.com" : field]));
  const answers = await Promise.all(fields.map((field) => ask("PATCH", at(id), json({ [field]: values[field] }))));
  assert.deepEqual(answers.map(({ status }) => status), fields.map(() => 200));
  const { body } = await ask("GET", at(id));
  assert.deepEqual(Object.fromEntries(fields.map((field) => [field, body[field]])), values);
  assert.equal(body.lock_version, lock_version + fields.length);
});

inAccount("departments together: a locked department delays its own update alone", async ({ ask, server }) => {
  if (!on_postgres) return; // The embedded database has one session, so no other session can hold a lock.
  const [locked, ...others] = await createMany(ask, 8);
  assert.ok(locked);
  let answered = false;
  const waiting = await server.sql.begin(async (tx) => {
    await tx`select from departments where id = ${locked.id} for update`;
    const waiting = ask("PATCH", at(locked.id), json({ phone: "locked" })).finally(() => answered = true);
    const answers = await Promise.all(others.map(({ id }) => ask("PATCH", at(id), json({ phone: "free" }))));
    assert.deepEqual(answers.map(({ status }) => status), others.map(() => 200));
    assert.equal(answered, false);
    return { waiting };
  });
  assert.equal((await waiting.waiting).body.phone, "locked");
});

inAccount("departments together: what does not concern them is written while the account is locked", async (stage) => {
  if (!on_postgres) return;
  const { ask, server } = stage;
  const { id } = await addPerson(ask, "user");
  const { body: account } = await ask("GET", "/account.json");
  await server.sql.begin(async (sql) => {
    await lockAccount(sql, account.id);
    made(await ask("POST", "/account/tokens.json", { json: { token: { name: "Meanwhile", user_setting_id: id } } }));
    made(await ask("POST", `/account/user_settings/${id}/password_reset.json`, { json: {} }));
    made(
      await ask("POST", "/connect/flows.json", {
        json: { flow: { kind: "platform/custom_flow", name: "x", code: "x" } },
      }),
    );
  });
});
