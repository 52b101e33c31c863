/** A user's change of its own password: what it needs, and which sessions it ends. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Pool } from "../../../server/database/pool.ts";
import { insertSession } from "../../../server/domains/sessions/queries.ts";
import { type Answer, beside, createDatabase, on_postgres, startServer } from "../../stage/harness.ts";
import { addPerson, addSession, type Ask } from "../../stage/people.ts";
import { inTurn, onSharedServer, testBeside } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";

const inAccount = onSharedServer();

const OLD = "a password of the tests";
const NEW = "another phrase for this user";
const OWN = { "sec-fetch-site": "same-origin" };

const withCookie = (cookie: string) => ({ token: null, headers: { cookie, ...OWN } });
const change = (ask: Ask, cookie: string, fields: unknown) =>
  ask("PATCH", "/account/password.json", { ...withCookie(cookie), json: { password: fields } });
const statusWith = async (ask: Ask, cookie: string) =>
  (await ask("GET", "/account/me.json", withCookie(cookie))).status;
const cookieOf = ({ headers }: Answer) => headers.get("set-cookie")?.split(";")[0] ?? "";

inAccount("passwords: a change ends the user's other sessions and renews this one's secret", async (stage) => {
  const { ask, server } = stage;
  const login = `change.${crypto.randomUUID()}`;
  const { id, token } = await addPerson(ask, "guest", { login, password: OLD });
  const [current, other] = [await addSession(server, id), await addSession(server, id)];
  const stranger = await addSession(server, (await addPerson(ask, "user")).id);
  const cookies = [current, other, stranger].map(({ cookie }) => cookie);
  await inTurn(cookies, async (cookie) => assert.equal(await statusWith(ask, cookie), 200));

  const changed = await change(ask, current.cookie, { current: OLD, new: NEW });
  assert.equal(changed.status, 204, JSON.stringify(changed.body));
  const renewed = cookieOf(changed);
  assert.match(renewed, /^session=[\w-]{43}$/);
  const statuses = [];
  for (const cookie of [...cookies, renewed]) statuses.push(await statusWith(ask, cookie));
  assert.deepEqual(statuses, [401, 401, 200, 200]);
  const me = await ask("GET", "/account/me.json", withCookie(renewed));
  assert.deepEqual([me.body.user.id, me.body.session_id], [id, current.id], "it is the same session");
  assert.equal((await ask("GET", "/account/me.json", { token })).status, 200, "API tokens stay");
  await until(() => server.logged.some((line) => line.includes('"password changed"')), "the change is logged");
  assert.ok(!server.logged.some((line) => line.includes(NEW) || line.includes(OLD)));
});

inAccount("passwords: what is refused changes nothing", async ({ ask, server }) => {
  const fields = { email: "bridget.oconnor@example.com", name: "Bridget O'Connor", password: OLD };
  const { id, token } = await addPerson(ask, "user", fields);
  const { cookie } = await addSession(server, id);
  const hashOf = async () => (await server.sql`select password_hash from users where id = ${id}`)[0]?.password_hash;
  const before = await hashOf();
  const rows: [fields: unknown, field: string, message: RegExp][] = [
    [{ current: "wrong", new: NEW }, "current", /^is wrong$/],
    [{ new: NEW }, "current", /blank/],
    [{ current: OLD }, "new", /blank/],
    [{ current: OLD, new: OLD }, "new", /^is the current password$/],
    [{ current: OLD, new: "short" }, "new", /too short/],
    [
      { current: OLD, new: "password1" },
      "new",
      /^is too easy to guess\. This is a commonly used password\.$/,
    ],
    [{ current: OLD, new: "Bridget.OConnor" }, "new", /^is too easy to guess\./],
    [{ current: OLD, new: "a".repeat(1_000) }, "new", /^is too easy to guess\./],
  ];
  await inTurn(rows, async ([fields, field, message]) => {
    const { status, body, headers } = await change(ask, cookie, fields);
    assert.deepEqual([status, Object.keys(body)], [422, [field]], JSON.stringify([fields, body]));
    assert.match(body[field][0], message);
    assert.equal(headers.get("set-cookie"), null);
  });
  const json = { password: { current: OLD, new: NEW } };
  const by_token = await ask("PATCH", "/account/password.json", { token, json });
  assert.equal(by_token.status, 403);
  const elsewhere = { token: null, json, headers: { cookie, "sec-fetch-site": "cross-site" } };
  assert.equal((await ask("PATCH", "/account/password.json", elsewhere)).status, 401);
  assert.equal(await hashOf(), before);
  assert.equal(await statusWith(ask, cookie), 200);

  const guesses = await Promise.all(Array.from({ length: 12 }, () => change(ask, cookie, { current: "x", new: NEW })));
  assert.ok(guesses.some(({ status, headers }) => status === 429 && Number(headers.get("retry-after")) > 0));
  assert.equal((await change(ask, cookie, { current: OLD, new: NEW })).status, 429, "also with the right one");
});

inAccount("passwords: a sign-in that compared the password before its change starts no session", async (stage) => {
  const { ask, server: { sql } } = stage;
  const { id } = await addPerson(ask, "user");
  const account_id = Number((await sql`select account_id from users where id = ${id}`)[0]?.account_id);
  await sql`update users set password_hash = 'compared' where id = ${id}`;
  let sessions = 0;
  const signIn = (password_hash?: string) => {
    const hash = Buffer.alloc(32, ++sessions);
    return insertSession(sql, { account_id, user_id: id, hash, device: "", address: "", password_hash });
  };
  assert.ok(await signIn("compared"));
  assert.ok(await signIn(), "proven without a password");
  const late = await sql.begin(async (sql) => {
    await sql`update users set password_hash = 'changed' where id = ${id}`;
    // The embedded database has one connection: there the sign-in waits for it.
    const late = signIn("compared");
    if (on_postgres) await until(() => isBlocked(stage.server.sql), "the sign-in waits for the change");
    return { late };
  });
  assert.equal(await late.late, undefined);
});

const isBlocked = async (sql: Pool) => {
  const rows = await sql`
    select 1
    from pg_stat_activity
    where datname = current_database()
      and wait_event_type = 'Lock'
      and query like '%insert into sessions%'
  `;
  return rows.length > 0;
};

testBeside({
  name: "passwords: a change ends the user's other sessions in every process",
  ignore: !on_postgres,
  async fn() {
    const DATABASE_URL = await createDatabase();
    const one = await startServer({ DATABASE_URL });
    const other = await startServer(beside(one, DATABASE_URL));
    try {
      const { id } = await addPerson(one.request, "user", { login: "member", password: OLD });
      const [current, copied] = [await addSession(one, id), await addSession(one, id)];
      for (const server of [one, other]) assert.equal(await statusWith(server.request, copied.cookie), 200);
      const changed = await change(one.request, current.cookie, { current: OLD, new: NEW });
      assert.equal(changed.status, 204);
      assert.equal(await statusWith(one.request, copied.cookie), 401);
      await until(async () => await statusWith(other.request, copied.cookie) === 401, "the other process has heard");
      await until(
        async () => await statusWith(other.request, current.cookie) === 401,
        "its old secret is worth nothing",
      );
      assert.equal(await statusWith(other.request, cookieOf(changed)), 200);
    } finally {
      await other.close();
      await one.close();
    }
  },
});
