/** Who calls (`me.json`), and the apps that guests may open. */
import assert from "node:assert/strict";
import { addPerson, addToken, made, ROLES } from "../../stage/people.ts";
import { inTurn, onSharedServer } from "../../stage/scenario.ts";

const test = onSharedServer();

const ME = "/account/me.json";

test("me: everyone who is signed in reads itself, whatever the scopes", async ({ ask, play }) => {
  const department = made(
    await ask("POST", "/account/departments.json", { json: { department: { name: "Sales" } } }),
  );
  await inTurn(ROLES, async (role) => {
    const { id, token } = await addPerson(ask, role, { department_ids: [department.id] });
    const { status, body } = await ask("GET", ME, { token });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), [
      "user",
      "departments",
      "scopes",
      "session_id",
      "assistant",
      "operator",
      "account",
      "release",
    ]);
    assert.deepEqual([body.user.id, body.user.role, body.scopes], [id, role, null]);
    assert.deepEqual(body.departments, [{ id: department.id, name: "Sales" }]);
    assert.deepEqual(body.account, (await ask("GET", "/account.json")).body);
  });
  await inTurn([["records:read"], []], async (scopes) => {
    const token = await addToken(ask, { scopes });
    assert.deepEqual((await ask("GET", ME, { token })).body.scopes, scopes);
  });
  await play([
    { name: "not without a login", method: "GET", path: ME, sent: { token: null }, status: 401 },
    { name: "nor with a wrong token", method: "GET", path: ME, sent: { token: "wrong" }, status: 401 },
  ]);
});

test("about: versions and licences of what is running, and the release that me.json names, too", async ({ ask, play }) => {
  const { status, body } = await ask("GET", "/account/about.json");
  assert.equal(status, 200);
  assert.deepEqual([body.name, body.licence, body.release], ["Atrium", "MIT", (await ask("GET", ME)).body.release]);
  assert.match(body.release, /^[0-9a-f]{16}$/);
  const [deno, database] = body.runtime;
  assert.deepEqual(deno, { name: "Deno", version: Deno.version.deno, licence: "MIT" });
  assert.match(`${database.name} ${database.version}`, /^PostgreSQL \d+/);
  assert.ok(body.packages.some(({ name, licence }: Record<string, string>) => name === "hono" && licence === "MIT"));
  const guest = await addPerson(ask, "guest");
  await play([{
    name: "not for guests",
    method: "GET",
    path: "/account/about.json",
    sent: { token: guest.token },
    status: 403,
  }]);
});

test("apps: a guest lists those that it may open", async ({ ask }) => {
  const [own, other] = await Promise.all(
    ["Own", "Other"].map(async (name) =>
      made(await ask("POST", "/account/departments.json", { json: { department: { name } } }))
    ),
  );
  const source = { app_engine: "html", css_engine: "none", source_code: "<p>hi</p>" };
  const add = (name: string, department_id: number, more: Record<string, unknown> = {}) =>
    ask("POST", "/platform/apps.json", { json: { app: { name, department_id, ...source, ...more } } }).then(made);
  await add("Seen", own.id);
  await add("Hidden", other.id);
  await add("Off", own.id, { active: false });
  const { token } = await addPerson(ask, "guest", { department_ids: [own.id], without_department: false });
  const { status, body } = await ask("GET", "/platform/apps.json", { token });
  assert.deepEqual([status, body.map(({ name }: { name: string }) => name)], [200, ["Seen"]]);
  assert.equal((await ask("GET", `/a/${body[0].id}`, { token })).status, 200);
  assert.equal((await ask("GET", "/platform/apps.json?active=false", { token })).body.length, 0);
});
