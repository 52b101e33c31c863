/** Drafts of flows: a user has one for each flow, the write with the highest revision counts, and no other user sees it. */
import assert from "node:assert/strict";
import { addPerson, as, made } from "../../stage/people.ts";
import { inTurn, onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();
const at = (id: number) => `/connect/flows/${id}/draft.json`;
const draft = (program_text: string, revision: number, more = {}) => ({
  json: { draft: { program_text, revision, base_lock_version: 0, ...more } },
});

inAccount("flow drafts: kept beside the flow, in the order of their revisions", async ({ ask, server }) => {
  const flow = made(await ask("POST", "/connect/flows.json", { json: { flow: { name: "Drafted" } } }));
  const path = at(flow.id);
  assert.deepEqual([(await ask("GET", path)).status, flow.has_draft], [404, false]);
  const put = async (...sent: Parameters<typeof draft>) => (await ask("PUT", path, draft(...sent))).status;
  assert.equal(await put('[{"type"', 10, { base_text: "[]" }), 200, "it need not be JSON");
  assert.equal(await put("newest", 20), 200);
  assert.equal(await put("newest", 20), 200, "a repeated write");
  const { body: newest } = await ask("GET", path);
  assert.deepEqual([newest.flow_id, newest.program_text, newest.base_text, newest.lock_version], [
    flow.id,
    "newest",
    "",
    0,
  ]);
  await inTurn([["late", 19], ["of another tab", 20]] as const, async ([text, revision]) => {
    const { status, body } = await ask("PUT", path, draft(text, revision));
    assert.deepEqual([status, body.current], [409, newest]);
  });
  await Promise.all(Array.from({ length: 8 }, (_, index) => put(`${28 - index}`, 28 - index)));
  assert.equal((await ask("GET", path)).body.program_text, "28");
  const saved = await ask("PATCH", `/connect/flows/${flow.id}.json`, { json: { flow: { name: "Renamed" } } });
  assert.deepEqual([saved.body.has_draft, saved.body.fields.program], [true, []]);

  const discard = async (query = "") => (await ask("DELETE", path + query)).status;
  assert.equal(await discard("?revision=27"), 409, "newer typing is there");
  assert.equal(await discard("?revision=30"), 204);
  const { status, body } = await ask("PUT", path, draft("late", 29));
  assert.deepEqual([(await ask("GET", path)).status, status, body.current], [404, 409, null]);
  await server.sql`update flow_drafts set updated_at = now() - interval '2 hours'`;
  await server.sweep();
  assert.equal(await put("again", 1), 200);
  await server.sql`update flow_drafts set updated_at = now() - interval '1 year'`;
  await server.sweep();
  assert.equal((await ask("GET", path)).status, 200, "a draft does not end");
  assert.equal((await ask("DELETE", `/connect/flows/${flow.id}.json`)).status, 204);
  assert.deepEqual([...await server.sql`select from flow_drafts where flow_id = ${flow.id}`], []);
});

inAccount("flow drafts: a user's own, of flows that it may change", async ({ ask }) => {
  const department = made(await ask("POST", "/account/departments.json", { json: { department: { name: "A" } } }));
  made(await ask("POST", "/account/departments.json", { json: { department: { name: "B" } } }));
  const flow = { name: "Drafted", department_id: department.id };
  const { id } = made(await ask("POST", "/connect/flows.json", { json: { flow } }));
  const colleague = await addPerson(ask, "manager", { department_ids: [department.id] });
  const theirs = as(ask, colleague.token);
  assert.equal((await theirs("PUT", at(id), draft("theirs", 5))).status, 200);
  assert.equal((await ask("PUT", at(id), draft("mine", 3))).status, 200);
  assert.equal((await ask("GET", at(id))).body.program_text, "mine");
  assert.equal((await theirs("GET", at(id))).body.program_text, "theirs");
  const { token } = await addPerson(ask, "user", { department_ids: [department.id] });
  assert.equal((await as(ask, token)("PUT", at(id), draft("", 1))).status, 403);
  assert.equal((await ask("PUT", at(id), draft("x".repeat(1_500_001), 9))).status, 422);
  await ask("PATCH", `/account/user_settings/${colleague.id}.json`, { json: { user_setting: { department_ids: [] } } });
  assert.equal((await theirs("GET", at(id))).status, 404, "the flow is hidden now");
  assert.equal((await theirs("PUT", at(id), draft("theirs", 6))).status, 404);
});
