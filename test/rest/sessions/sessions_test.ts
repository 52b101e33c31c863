/** Sessions of members in browsers: signing in and out, and which requests a cookie authenticates. */
import assert from "node:assert/strict";
import type { Answer, TestServer } from "../../stage/harness.ts";
import { addPerson, type Ask, made } from "../../stage/people.ts";
import { inTurn, onOwnServer } from "../../stage/scenario.ts";

const inDefault = (name: string, work: (stage: { ask: Ask; server: TestServer }) => Promise<void>) =>
  onServer(name, work, { of_default: true });
const onServer = onOwnServer();

const PASSWORD = "a password of the tests";
const ME = "/account/me.json";
/** A request of one of the site's own pages. */
const OWN = { "sec-fetch-site": "same-origin" };

const signIn = (ask: Ask, login: string, password = PASSWORD, headers: Record<string, string> = {}) =>
  ask("POST", "/account/session.json", { token: null, json: { session: { login, password } }, headers });

const cookieOf = ({ headers }: Answer) => headers.get("set-cookie")?.split(";")[0] ?? "";

/** What the cookie proves with these headers: the status of `GET /account/me.json`. */
const statusWith = async (ask: Ask, cookie: string, headers: Record<string, string> = OWN) =>
  (await ask("GET", ME, { token: null, headers: { cookie, ...headers } })).status;

async function addMember(ask: Ask, fields: Record<string, unknown> = {}) {
  const login = `Member.${crypto.randomUUID().slice(0, 8)}`;
  const { id } = await addPerson(ask, "user", { login, email: `${login}@people.test`, password: PASSWORD, ...fields });
  return { id, login };
}

inDefault("sessions: login or e-mail in any case, and the cookie's attributes", async ({ ask }) => {
  const { id, login } = await addMember(ask);
  await inTurn([login, login.toUpperCase(), ` ${login}@PEOPLE.test `], async (given) => {
    const answer = await signIn(ask, given);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    assert.equal(answer.body.user.id, id);
    assert.match(
      answer.headers.get("set-cookie") ?? "",
      /^session=[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax$/,
    );
    const me = await ask("GET", ME, { token: null, headers: { cookie: cookieOf(answer), ...OWN } });
    assert.deepEqual(me.body, answer.body, "the answer is the one of me.json");
    assert.equal(me.body.session_id, answer.body.session_id);
  });
});

inDefault(
  "sessions: wrong password, unknown login, inactive user and no password are refused alike",
  async ({ ask }) => {
    const { login } = await addMember(ask);
    const off = await addMember(ask, { active: false });
    const without = await addPerson(ask, "user", { login: "without.password" });
    assert.ok(without.id);
    const answers = await Promise.all([
      signIn(ask, login, "wrong"),
      signIn(ask, "nobody.knows"),
      signIn(ask, off.login),
      signIn(ask, "without.password"),
    ]);
    for (const { status, body, headers } of answers) {
      assert.deepEqual([status, body], [401, { error: "Login or password is wrong", code: "unauthorized" }]);
      assert.equal(headers.get("set-cookie"), null);
    }
    const empty = await ask("POST", "/account/session.json", { token: null, json: { session: { login } } });
    assert.deepEqual([empty.status, Object.keys(empty.body)], [422, ["password"]]);
  },
);

inDefault(
  "sessions: a cookie counts in requests of own pages and in opened addresses, nowhere else",
  async ({ ask, server }) => {
    const cookie = cookieOf(await signIn(ask, (await addMember(ask)).login));
    const opened = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    const rows: [status: number, headers: Record<string, string>][] = [
      [200, OWN],
      [200, { origin: server.base_url }],
      [200, { "sec-fetch-site": "cross-site", ...opened }],
      [200, { "sec-fetch-site": "none", ...opened }],
      // A site on plain http elsewhere than on this machine: browsers say nothing there.
      [200, {}],
      [401, { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" }],
      [401, { "sec-fetch-site": "same-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" }],
      [401, { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }],
      [401, { "sec-fetch-site": "cross-site", origin: server.base_url }],
      [401, { origin: "null" }],
      [401, { origin: "https://atrium.test" }],
      [401, { origin: "http://atrium.test.evil.example" }],
      [401, { origin: "http://evil.example" }],
    ];
    await inTurn(rows, async ([status, headers]) => {
      assert.equal(await statusWith(ask, cookie, headers), status, JSON.stringify(headers));
    });
    const change = (headers: Record<string, string>) =>
      ask("DELETE", "/account/sessions.json", { token: null, headers: { cookie, ...headers } });
    const refused: Record<string, string>[] = [{ "sec-fetch-site": "cross-site", ...opened }, {}, { origin: "null" }];
    await inTurn(refused, async (headers) => {
      assert.equal((await change(headers)).status, 401, `a change: ${JSON.stringify(headers)}`);
    });
    assert.equal((await change(OWN)).status, 204);
    const both = await ask("GET", ME, { token: "wrong", headers: { cookie, ...OWN } });
    assert.equal(both.status, 401, "a wrong token is never answered as the browser's member");
  },
);

inDefault("sessions: listing them, ending one, the others, and one's own", async ({ ask }) => {
  const { login } = await addMember(ask);
  const browsers = ["Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0", "curl/8.5.0", "?"];
  const answers: Answer[] = [];
  await inTurn(
    browsers,
    async (agent) => void answers.push(await signIn(ask, login, PASSWORD, { "user-agent": agent })),
  );
  const [first = "", second = "", third = ""] = answers.map(cookieOf);
  const own = (cookie: string) => ({ token: null, headers: { cookie, ...OWN } });
  const { body } = await ask("GET", "/account/sessions.json", own(first));
  assert.deepEqual(body.map(({ device, current }: Record<string, unknown>) => [device, current]), [
    ["Unknown device", false],
    ["curl", false],
    ["Firefox on Linux", true],
  ]);
  const stranger = await addMember(ask);
  const theirs = cookieOf(await signIn(ask, stranger.login));
  assert.equal((await ask("DELETE", `/account/sessions/${body[0].id}.json`, own(theirs))).status, 404);
  assert.equal((await ask("DELETE", `/account/sessions/${body[0].id}.json`, own(first))).status, 204);
  assert.equal(await statusWith(ask, third), 401, "at once");
  assert.equal((await ask("DELETE", "/account/sessions.json", own(first))).status, 204);
  assert.deepEqual([await statusWith(ask, first), await statusWith(ask, second), await statusWith(ask, theirs)], [
    200,
    401,
    200,
  ]);
  const out = await ask("DELETE", "/account/session.json", own(first));
  assert.equal(out.status, 204);
  assert.match(out.headers.get("set-cookie") ?? "", /^session=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/);
  assert.equal(await statusWith(ask, first), 401);
});

inDefault("sessions: a sign-in ends the browser's session before it", async ({ ask }) => {
  const { login } = await addMember(ask);
  const before = cookieOf(await signIn(ask, login));
  const after = cookieOf(await signIn(ask, login, PASSWORD, { cookie: before, ...OWN }));
  assert.notEqual(after, before);
  assert.deepEqual([await statusWith(ask, before), await statusWith(ask, after)], [401, 200]);
});

inDefault(
  "sessions: they end with a new password, with the user's activity, after 14 idle and after 90 days",
  async (stage) => {
    const { ask, server: { sql } } = stage;
    const change = (id: number, user_setting: unknown) =>
      ask("PATCH", `/account/user_settings/${id}.json`, { json: { user_setting } });
    const signedIn = async () => {
      const { id, login } = await addMember(ask);
      const answer = await signIn(ask, login);
      const cookie = cookieOf(answer);
      return { id, cookie, session_id: answer.body.session_id };
    };
    const renewed = await signedIn();
    assert.equal((await change(renewed.id, { password: "another password" })).status, 200);
    assert.equal(await statusWith(ask, renewed.cookie), 401);
    const off = await signedIn();
    assert.equal(await statusWith(ask, off.cookie), 200);
    assert.equal((await change(off.id, { active: false })).status, 200);
    assert.equal(await statusWith(ask, off.cookie), 401);
    assert.equal((await change(off.id, { active: true })).status, 200);
    assert.equal(await statusWith(ask, off.cookie), 401, "a session that has ended stays so");
    const promoted = await signedIn();
    assert.equal((await change(promoted.id, { role: "manager" })).status, 200);
    const me = await ask("GET", ME, { token: null, headers: { cookie: promoted.cookie, ...OWN } });
    assert.equal(me.body.user.role, "manager");
    const [idle, old, live] = [await signedIn(), await signedIn(), await signedIn()];
    await sql`update sessions set last_seen_at = now() - interval '14 days' where id = ${idle.session_id}`;
    await sql`update sessions set created_at = now() - interval '90 days' where id = ${old.session_id}`;
    await sql`update sessions set created_at = now() - interval '89 days' where id = ${live.session_id}`;
    const all = await Promise.all([idle, old, live].map(({ cookie }) => statusWith(ask, cookie)));
    assert.deepEqual(all, [401, 401, 200]);
    await stage.server.sweep();
    const kept = await sql`select id from sessions where id = any(${
      [idle, old, live].map(({ session_id }) => session_id)
    }::int[])`;
    assert.deepEqual(kept.map(({ id }) => id), [live.session_id], "the sweep deletes those that have ended");
  },
);

inDefault("sessions: another site's page cannot sign a browser in", async ({ ask }) => {
  const { login } = await addMember(ask);
  const elsewhere: Record<string, string>[] = [
    { "sec-fetch-site": "cross-site" },
    { origin: "null" },
    { origin: "http://evil.example" },
  ];
  await inTurn(elsewhere, async (from) => {
    const answer = await signIn(ask, login, PASSWORD, from);
    assert.deepEqual([answer.status, answer.headers.get("set-cookie")], [403, null]);
  });
  assert.ok(made(await signIn(ask, login, PASSWORD, { "sec-fetch-site": "none" })));
});
