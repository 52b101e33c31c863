/** Invitations: who invites whom, the page that accepts them, and that each is used once. */
import assert from "node:assert/strict";
import type { Answer, TestServer } from "../../stage/harness.ts";
import { addPerson, addToken, as, type Ask, made } from "../../stage/people.ts";
import { inTurn, onSharedServer } from "../../stage/scenario.ts";

const onServer = onSharedServer();

const ALL = "/account/invitations.json";
const OWN = { "sec-fetch-site": "same-origin" };
const PASSWORD = "four unrelated words here";

const invite = (ask: Ask, fields: Record<string, unknown> = {}) =>
  ask("POST", ALL, { json: { invitation: { email: `${crypto.randomUUID()}@people.test`, ...fields } } });
const secretOf = ({ body }: Answer) => /[?]secret=([\w-]{43})$/.exec(body.url)?.[1] ?? "";
const post = (fields: Record<string, string>, headers: Record<string, string> = OWN) => ({
  token: null,
  raw: new URLSearchParams(fields).toString(),
  headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
});
const accept = (ask: Ask, secret: string, password = PASSWORD, path = "/invitation") =>
  ask("POST", path, post({ secret, password }));
const cookieOf = ({ headers }: Answer) => headers.get("set-cookie")?.split(";")[0] ?? "";
const me = async (ask: Ask, answer: Answer) =>
  (await ask("GET", "/account/me.json", { token: null, headers: { cookie: cookieOf(answer), ...OWN } })).body;
/** Wrong links count by address, and all tests share one. */
const forgive = ({ sql }: TestServer) => sql`delete from sign_in_attempts`;

onServer("invitations: are found by name and address", async ({ ask }) => {
  await invite(ask, { name: "Ada ŻÓŁW", email: "ada@people.test" });
  await invite(ask, { name: "Grace", email: "HOPPER@people.test" });
  const found = async (q: string) => {
    const { body, headers } = await ask("GET", `${ALL}?q=${encodeURIComponent(q)}`);
    assert.equal(headers.get("x-total-count"), String(body.length));
    return body.map(({ name }: { name: string }) => name);
  };
  assert.deepEqual(await found("żółw"), ["Ada ŻÓŁW"]);
  assert.deepEqual(await found("hopper@"), ["Grace"]);
  assert.deepEqual(await found("PEOPLE.TEST"), ["Ada ŻÓŁW", "Grace"]);
  assert.deepEqual(await found("_"), []);
});

onServer("invitations: the page shows the name, takes a password, signs in and works once", async (stage) => {
  const { ask, server } = stage;
  const name = "Grace <i>";
  const department = made(await ask("POST", "/account/departments.json", { json: { department: { name: "Sales" } } }));
  const invited = await invite(ask, { name, role: "manager", department_ids: [department.id] });
  assert.equal(invited.status, 201, JSON.stringify(invited.body));
  assert.match(invited.body.url, /^http:\/\/atrium\.test\/invitation\?secret=[\w-]{43}$/);
  assert.equal(invited.body.mail, "off");
  const secret = secretOf(invited);
  const listed = await ask("GET", ALL);
  assert.deepEqual([listed.body.length, listed.body[0].invited_by], [1, stage.admin.id]);
  assert.ok(!JSON.stringify(listed.body).includes(secret));
  const [stored] = await server.sql`select from invitations i where i::text like ${`%${secret}%`}`;
  assert.equal(stored, undefined, "only its hash is stored");

  const page = await ask("GET", `/invitation?secret=${secret}`, { token: null });
  assert.deepEqual([page.status, page.headers.get("referrer-policy")], [200, "strict-origin"]);
  assert.match(page.body, /Hello Grace &lt;i&gt;\./);
  assert.doesNotMatch(page.body, /<script|\son\w+=|https?:\/\/(?!atrium\.test)/);
  assert.ok(!server.logged.some((line) => line.includes(secret)));

  const foreign = await ask("POST", "/invitation", post({ secret, password: PASSWORD }, { origin: "null" }));
  assert.deepEqual([foreign.status, foreign.headers.get("set-cookie")], [403, null]);
  const weak = await accept(ask, secret, "password1");
  assert.equal(weak.status, 422);
  assert.match(weak.body, /role="alert">The password is too easy to guess\./);

  const answers = await Promise.all([accept(ask, secret), accept(ask, secret), accept(ask, secret)]);
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 404, 404]);
  const accepted = answers.find(({ status }) => status === 303);
  assert.ok(accepted);
  assert.equal(accepted.headers.get("location"), "/");
  const { user, departments, session_id } = await me(ask, accepted);
  assert.deepEqual([user.name, user.role, user.email, user.login], [
    name,
    "manager",
    invited.body.email,
    invited.body.email,
  ]);
  assert.deepEqual([departments.map(({ id }: { id: number }) => id), typeof session_id], [[department.id], "number"]);
  assert.equal((await ask("GET", `/invitation?secret=${secret}`, { token: null })).status, 404);
  assert.deepEqual((await ask("GET", ALL)).body, []);
  await forgive(server);
});

onServer(
  "invitations: no role and no department beyond the inviter's, when inviting and when accepting",
  async (stage) => {
    const { ask, server } = stage;
    const [own, other] = [
      made(await ask("POST", "/account/departments.json", { json: { department: { name: "Own" } } })).id,
      made(await ask("POST", "/account/departments.json", { json: { department: { name: "Other" } } })).id,
    ];
    const manager = await addPerson(ask, "manager", { department_ids: [own], without_department: false });
    const theirs = as(ask, manager.token);
    const taken = (await addPerson(ask, "user", { email: "Taken@people.test" })).id;
    assert.ok(taken);
    const rows: [fields: Record<string, unknown>, field: string][] = [
      [{ role: "admin" }, "role"],
      [{ department_ids: [own, other] }, "department_ids"],
      [{ department_ids: [999_999] }, "department_ids"],
      [{ email: "taken@PEOPLE.test" }, "email"],
      [{ email: "nothing" }, "email"],
    ];
    await inTurn(rows, async ([fields, field]) => {
      const { status, body } = await invite(theirs, fields);
      assert.deepEqual([status, Object.keys(body)], [422, [field]], JSON.stringify(fields));
    });
    const first = await invite(theirs, { email: "twice@people.test", role: "manager", department_ids: [own] });
    assert.deepEqual((await invite(ask, { email: "Twice@people.test" })).status, 422, "invited already");
    const colleague = await addPerson(ask, "manager");
    const path = `/account/invitations/${first.body.id}.json`;
    assert.equal((await as(ask, colleague.token)("DELETE", path)).status, 403);
    const accepted = await accept(ask, secretOf(first));
    assert.equal(accepted.status, 303);
    assert.equal((await me(ask, accepted)).user.without_department, false, "as the inviter");
    await inTurn([[{}, true], [{ without_department: false }, false]] as const, async ([fields, sees]) => {
      const invited = await invite(ask, fields);
      assert.equal(invited.body.without_department, sees);
      assert.equal((await me(ask, await accept(ask, secretOf(invited)))).user.without_department, sees, "by an admin");
    });

    const [demoted, moved, revoked, expired] = [
      await invite(theirs, { role: "manager" }),
      await invite(theirs, { role: "guest", department_ids: [own] }),
      await invite(theirs),
      await invite(theirs),
    ];
    const change = (user_setting: unknown) =>
      ask("PATCH", `/account/user_settings/${manager.id}.json`, { json: { user_setting } });
    assert.equal((await ask("DELETE", `/account/invitations/${revoked.body.id}.json`)).status, 204);
    await server.sql`update invitations set expires_at = now() where id = ${expired.body.id}`;
    await change({ role: "user" });
    await inTurn([demoted, revoked, expired], async (invitation) => {
      assert.equal((await accept(ask, secretOf(invitation))).status, 404);
    });
    await change({ role: "manager", department_ids: [other] });
    assert.deepEqual((await me(ask, await accept(ask, secretOf(moved)))).departments, []);
    await server.sweep();
    const [left] = await server.sql`select from invitations where id = ${expired.body.id}`;
    assert.equal(left, undefined, "the sweep deletes it");
    const last = await invite(theirs);
    await ask("DELETE", `/account/user_settings/${manager.id}.json`);
    assert.equal((await accept(ask, secretOf(last))).status, 404, "a deleted inviter invites nobody");
    const narrow = await addToken(ask, { scopes: ["user_settings:write"] });
    assert.equal((await invite(as(ask, narrow))).status, 403);
    await forgive(server);
  },
);

onServer("invitations: a new link ends the one before; a refused one leaves it", async (stage) => {
  const { ask, server } = stage;
  const manager = await addPerson(ask, "manager");
  const theirs = as(ask, manager.token);
  const renew = (ask: Ask, { body }: Answer) => ask("POST", `/account/invitations/${body.id}/renew.json`, { json: {} });
  const opens = async (answer: Answer) =>
    (await ask("GET", `/invitation?secret=${secretOf(answer)}`, { token: null })).status === 200;
  const first = await invite(theirs, { name: "Grace", role: "manager", without_department: false });
  await server.sql`update invitations set expires_at = now() + interval '1 hour' where id = ${first.body.id}`;
  const second = await renew(theirs, first);
  assert.equal(second.status, 201, JSON.stringify(second.body));
  const equal_in = ({ body: { email, name, role, department_ids, without_department } }: Answer) => ({
    email,
    name,
    role,
    department_ids,
    without_department,
  });
  assert.deepEqual(equal_in(second), equal_in(first));
  assert.ok(Date.parse(second.body.expires_at) > Date.now() + 6 * 86_400_000, "for the whole time again");
  assert.deepEqual([await opens(first), await opens(second)], [false, true]);
  assert.equal((await renew(theirs, first)).status, 404, "a second click");

  const colleague = as(ask, (await addPerson(ask, "manager")).token);
  assert.equal((await renew(colleague, second)).status, 403);
  const of_admin = await invite(ask, { role: "admin" });
  assert.equal((await renew(colleague, of_admin)).status, 403);
  await server.sql`update invitations set role = 'admin' where id = ${second.body.id}`;
  assert.deepEqual(Object.keys((await renew(theirs, second)).body), ["role"], "the role exceeds the inviter's");
  assert.ok(await opens(of_admin), "a refusal changes nothing");
  await server.sql`update invitations set role = 'manager' where id = ${second.body.id}`;
  assert.ok(await opens(second), "a refusal changes nothing");
  const by_admin = await renew(ask, second);
  assert.deepEqual([by_admin.status, by_admin.body.invited_by], [201, stage.admin.id]);
  await forgive(server);
});

onServer("invitations: wrong links are limited by address", async ({ ask, server }) => {
  await forgive(server);
  const statuses: number[] = [];
  const session = { login: "nobody", password: "wrong" };
  const signIn = () => ask("POST", "/account/session.json", { token: null, json: { session } });
  for (let index = 0; index < 12; index++) {
    const secret = `${index}`.padStart(43, "x");
    statuses.push((await (index % 2 ? accept(ask, secret) : ask("GET", `/password_reset?secret=${secret}`))).status);
  }
  assert.deepEqual(statuses, [...Array(10).fill(404), 429, 429]);
  const limited = await ask("GET", "/invitation", { token: null });
  assert.ok(Number(limited.headers.get("retry-after")) > 0);
  // Any site can make a browser load wrong links.
  assert.equal((await signIn()).status, 401, "signing in from the address is still possible");
  await forgive(server);
  const image = { token: null, headers: { "sec-fetch-dest": "image", "sec-fetch-site": "cross-site" } };
  for (let i = 0; i < 12; i++) {
    const path = i % 2 ? "/invitation?secret=x" : "/approval?token=x";
    assert.equal((await ask("GET", path, image)).status, 404);
  }
  await forgive(server);
});

onServer("password resets: an admin's link sets a password, ends all sessions and works once", async (stage) => {
  const { ask, server } = stage;
  const login = `reset.${crypto.randomUUID()}`;
  const user = await addPerson(ask, "user", { login, password: "the password that is forgotten" });
  const reset = () => ask("POST", `/account/user_settings/${user.id}/password_reset.json`, { json: {} });
  const [first, second] = [await reset(), await reset()];
  assert.deepEqual([second.status, second.body.mail], [201, "off"], JSON.stringify(second.body));
  assert.match(second.body.url, /^http:\/\/atrium\.test\/password_reset\?secret=/);
  const take = (answer: Answer) => accept(ask, secretOf(answer), PASSWORD, "/password_reset");
  assert.equal((await take(first)).status, 404, "a new link replaces the one before");
  const open = await ask("GET", `/password_reset?secret=${secretOf(second)}`, { token: null });
  assert.match(open.body, new RegExp(`name="login" value="${login}"`));
  const before = await server.sql`
    insert into sessions (account_id, user_id, hash, device, address)
    select account_id, id, decode('00', 'hex'), '', '' from users where id = ${user.id}
    returning id
  `;
  const answers = await Promise.all([take(second), take(second)]);
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 404]);
  const taken = answers.find(({ status }) => status === 303);
  assert.equal(taken && (await me(ask, taken)).user.id, user.id);
  const [left] = await server.sql`select from sessions where id = ${before[0]?.id}`;
  assert.equal(left, undefined, "the sessions before have ended");
  const third = await reset();
  await ask("PATCH", `/account/user_settings/${user.id}.json`, { json: { user_setting: { password: PASSWORD } } });
  assert.equal((await take(third)).status, 404, "a new password ends the link");
  const fourth = await reset();
  await ask("PATCH", `/account/user_settings/${user.id}.json`, { json: { user_setting: { active: false } } });
  assert.equal((await take(fourth)).status, 404);
  assert.equal((await reset()).status, 422, "of a user that is switched off");
  await forgive(server);
});

onServer("invitations: the person may say its name; the inviter's is the default", async ({ ask, server }) => {
  const invited = await invite(ask, { name: undefined });
  const { email } = invited.body;
  const page = await ask("GET", `/invitation?secret=${secretOf(invited)}`, { token: null });
  assert.match(page.body, new RegExp(`name="name" value="" .*placeholder="${email}"`), "an address is no name");
  const take = (answer: Answer, name: string) =>
    ask("POST", "/invitation", post({ secret: secretOf(answer), password: PASSWORD, name }));
  const long = await take(invited, "x".repeat(256));
  assert.equal(long.status, 422);
  assert.match(long.body, /role="alert">The name /);
  assert.match(long.body, /name="name"[^>]*aria-invalid="true" autofocus>/);
  assert.doesNotMatch(long.body, /name="password"[^>]*(aria-invalid|autofocus)/);
  assert.equal((await me(ask, await take(invited, "  Ann Example "))).user.name, "Ann Example");
  const named = await invite(ask, { name: "Grace", email: "own.name@people.test" });
  const form = await ask("GET", `/invitation?secret=${secretOf(named)}`, { token: null });
  assert.match(form.body, /name="name" value="Grace"/);
  assert.equal((await me(ask, await take(named, " "))).user.name, "Grace");
  await forgive(server);
});
