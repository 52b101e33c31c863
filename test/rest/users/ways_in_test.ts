/** What lets a person sign in is given neither by a token with scopes nor, to its own user, by a session. */
import assert from "node:assert/strict";
import { addPerson, addSession, addToken, as, made, type Method } from "../../stage/people.ts";
import { onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const USERS = "/account/user_settings.json";
const INVITATIONS = "/account/invitations.json";
const at = (id: number) => `/account/user_settings/${id}.json`;
const reset = (id: number) => `/account/user_settings/${id}/password_reset.json`;
const mail = () => `${crypto.randomUUID()}@people.test`;
const PASSWORD = "four unrelated words here";

inAccount(
  "ways in: a token with scopes sets no password, makes no admin and no embedding key",
  async ({ ask, admin }) => {
    const scopes = ["user_settings:write", "user_settings:read", "invitations:write", "embedding:write"];
    const narrow = as(ask, await addToken(ask, { scopes }));
    const person = await addPerson(ask, "user");
    const send = async (method: Method, path: string, json?: unknown) => {
      const { status, body } = await narrow(method, path, { json });
      return { status, error: body?.error };
    };
    const user = (user_setting: unknown) => ({ user_setting });
    const refused: [deed: string, method: Method, path: string, json?: unknown][] = [
      ["set a password", "POST", USERS, user({ email: mail(), password: PASSWORD })],
      ["set a password", "PATCH", at(person.id), user({ password: PASSWORD })],
      ["set a password", "POST", reset(person.id), {}],
      ["create or change an admin", "POST", USERS, user({ email: mail(), role: "admin" })],
      ["create or change an admin", "PATCH", at(person.id), user({ role: "admin" })],
      ["create or change an admin", "PATCH", at(admin.id), user({ email: mail() })],
      ["create or change an admin", "PATCH", at(admin.id), user({ role: "guest" })],
      ["create or change an admin", "DELETE", at(admin.id)],
      ["create or change an admin", "POST", INVITATIONS, { invitation: { email: mail(), role: "admin" } }],
      ["create an embedding key", "POST", "/account/embedding/keys.json", { key: { name: "Host" } }],
    ];
    for (const [deed, method, path, json] of refused) {
      const answer = await send(method, path, json);
      assert.equal(answer.status, 403, `${method} ${path} ${JSON.stringify(json)}`);
      assert.match(JSON.stringify(answer.error), new RegExp(`A token with scopes cannot ${deed}`));
    }
    assert.equal((await ask("GET", at(admin.id))).body.role, "admin");
    assert.equal((await ask("GET", at(person.id))).body.role, "user");
    // Everything else is what the scopes are for.
    const created = made(await narrow("POST", USERS, { json: user({ email: mail(), role: "manager" }) }));
    assert.equal((await narrow("PATCH", at(created.id), { json: user({ name: "Grace", active: false }) })).status, 200);
    assert.equal((await narrow("DELETE", at(created.id))).status, 204);
    assert.equal((await narrow("POST", INVITATIONS, { json: { invitation: { email: mail() } } })).status, 201);
  },
);

inAccount(
  "ways in: a session sets its own user's password with the current one only",
  async ({ server, ask, admin }) => {
    const { cookie } = await addSession(server, admin.id);
    const headers = { cookie, "sec-fetch-site": "same-origin" };
    const send = (method: Method, path: string, json: unknown) => ask(method, path, { token: null, headers, json });
    const own = await send("PATCH", at(admin.id), { user_setting: { password: PASSWORD } });
    assert.equal(own.status, 403);
    assert.match(JSON.stringify(own.body), /PATCH \/account\/password\.json/);
    assert.equal((await send("POST", reset(admin.id), {})).status, 403);
    assert.equal((await send("PATCH", at(admin.id), { user_setting: { name: "Ada" } })).status, 200, "other fields");
    const person = await addPerson(ask, "user");
    assert.equal((await send("PATCH", at(person.id), { user_setting: { password: PASSWORD } })).status, 200);
    assert.equal((await send("POST", reset(person.id), {})).status, 201);
    // A token without scopes is how an operator comes back in.
    assert.equal((await ask("PATCH", at(admin.id), { json: { user_setting: { password: PASSWORD } } })).status, 200);
  },
);
