/** Drafts: one for each user and app, in the order of their revisions, and seen by nobody else. */
import assert from "node:assert/strict";
import { addPerson, as, made } from "../../stage/people.ts";
import { inTurn, onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();
const JS = { app_engine: "js", source_code: "'published'" };
const at = (id: string) => `/platform/apps/${id}/draft.json`;
const LIST = "/platform/drafts.json";
const draft = (source_code: string, revision: number, more = {}) => ({
  json: { draft: { source_code, revision, base_lock_version: 0, ...more } },
});

inAccount("drafts: kept beside the app, and in the order of their revisions", async ({ ask, server }) => {
  const app = made(await ask("POST", "/platform/apps.json", { json: { app: { ...JS, name: "Clock" } } }));
  const path = at(app.id);
  assert.deepEqual([(await ask("GET", path)).status, app.has_draft], [404, false]);
  const put = async (...sent: Parameters<typeof draft>) => (await ask("PUT", path, draft(...sent))).status;

  assert.equal(await put("{ not code", 10), 200, "it need not compile");
  assert.equal(await put("", 11, { app_engine: "vue", css_engine: "none" }), 200, "it may be blank");
  const { body: { app_engine: kept, css_engine } } = await ask("GET", path);
  assert.deepEqual([kept, css_engine, (await ask("GET", LIST)).body[0].app_engine], ["vue", "none", "vue"]);
  assert.equal(await put("", 12, { app_engine: "cobol" }), 422);
  assert.equal(await put("'newest'", 20), 200);
  assert.equal(await put("'newest'", 20), 200, "a repeated write");
  const { body: newest } = await ask("GET", path);
  assert.deepEqual(
    [
      newest.source_code,
      newest.app_engine,
      newest.css_engine,
      newest.revision,
      newest.base_lock_version,
      newest.lock_version,
    ],
    ["'newest'", null, null, 20, 0, 0],
  );
  await inTurn([["'late'", 19], ["'of another tab'", 20]] as const, async ([source, revision]) => {
    const { status, body } = await ask("PUT", path, draft(source, revision));
    assert.deepEqual([status, body.current], [409, newest]);
  });
  // As many at once as there are connections: the newest stays, whatever the order of their arrival.
  await Promise.all(Array.from({ length: 8 }, (_, index) => put(`${28 - index}`, 28 - index)));
  assert.equal((await ask("GET", path)).body.source_code, "28");

  const published = await ask("PATCH", `/platform/apps/${app.id}.json`, { json: { app: { name: "Watch" } } });
  assert.deepEqual([published.body.has_draft, published.body.source_code], [true, JS.source_code]);
  const { body: [listed], headers } = await ask("GET", LIST);
  const { app_id, name, app_engine, base_lock_version, lock_version } = listed;
  assert.deepEqual([app_id, name, app_engine, base_lock_version, lock_version], [app.id, "Watch", "js", 0, 1]);
  assert.equal(headers.get("x-total-count"), "1");

  const discard = async (query = "") => (await ask("DELETE", path + query)).status;
  assert.equal(await discard("?revision=27"), 409, "newer typing is there");
  assert.equal(await discard("?revision=30"), 204);
  assert.deepEqual([(await ask("GET", path)).status, (await ask("GET", LIST)).body], [404, []]);
  const { status, body } = await ask("PUT", path, draft("'late'", 29));
  assert.deepEqual([status, body.current], [409, null], "a late write does not bring it back");
  assert.deepEqual([await discard(), await discard()], [204, 204]);
  await server.sql`update app_drafts set updated_at = now() - interval '2 hours'`;
  await server.sweep();
  assert.equal(await put("'again'", 1), 200);
  assert.equal((await ask("GET", `/platform/apps.json`)).body[0].has_draft, true);
  await server.sql`update app_drafts set updated_at = now() - interval '1 year'`;
  await server.sweep();
  assert.equal((await ask("GET", path)).status, 200, "a draft does not end");
  assert.equal((await ask("DELETE", `/platform/apps/${app.id}.json`)).status, 204);
  assert.deepEqual([...await server.sql`select from app_drafts where app_id = ${app.id}`], []);
});

inAccount("drafts: a user's own, of apps that it may change", async ({ ask, play }) => {
  const department = made(await ask("POST", "/account/departments.json", { json: { department: { name: "A" } } }));
  made(await ask("POST", "/account/departments.json", { json: { department: { name: "B" } } }));
  const app = { ...JS, name: "Clock", department_id: department.id };
  const { id } = made(await ask("POST", "/platform/apps.json", { json: { app } }));
  const colleague = await addPerson(ask, "manager", { department_ids: [department.id] });
  const theirs = as(ask, colleague.token);
  assert.equal((await theirs("PUT", at(id), draft("'theirs'", 5))).status, 200);
  assert.equal((await ask("PUT", at(id), draft("'mine'", 3))).status, 200);
  assert.equal((await ask("GET", at(id))).body.source_code, "'mine'");
  assert.equal((await theirs("GET", at(id))).body.source_code, "'theirs'");
  const { token } = await addPerson(ask, "user", { department_ids: [department.id] });
  const put = { method: "PUT", path: at(id) } as const;
  await play([
    { name: "a user", ...put, sent: { ...draft("1", 1), token }, status: 403 },
    { name: "too long", ...put, sent: draft("x".repeat(200_001), 9), status: 422, body: { source_code: /too long/ } },
    {
      name: "no revision",
      ...put,
      sent: { json: { draft: { source_code: "", base_lock_version: 0 } } },
      status: 422,
      body: { revision: /./ },
    },
    {
      name: "an engine that is none",
      ...put,
      sent: draft("", 9, { css_engine: "x" }),
      status: 422,
      body: { css_engine: /included/ },
    },
    { name: "NUL", ...put, sent: draft("\0", 9), status: 422, body: { source_code: /stored/ } },
  ]);
  await ask("PATCH", `/account/user_settings/${colleague.id}.json`, { json: { user_setting: { department_ids: [] } } });
  assert.deepEqual(
    [(await theirs("GET", at(id))).status, (await theirs("GET", LIST)).body],
    [404, []],
    "the app is hidden now",
  );
  assert.equal((await theirs("PUT", at(id), draft("'theirs'", 6))).status, 404);
});
